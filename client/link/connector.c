// SPDX-License-Identifier: MIT
// Asks for a cookie and runs the handshake. It never falls back from encryption to plain text.
#include "connector.h"

#include "crypto.h"
#include "message.h"
#include "noise.h"
#include "password_key.h"
#include "secure_channel.h"
#include "secure_datagram.h"

#include <assert.h>
#include <string.h>

static const uint64_t repeat_us = 250000;
static const uint64_t handshake_us =
    2000000;                              // timeout of a handshake; then a new cookie is asked for
static const uint64_t doubt_us = 1000000; // wait for a good cookie after a bad one

static_assert(RAIM_CONNECTOR_BYTES == RAIM_SECURE_BYTES, "the wire");
static_assert(RAIM_KEY_BYTES == RAIM_CRYPTO_KEY_BYTES, "X25519");
static_assert(RAIM_NOISE_OVERHEAD_BYTES == RAIM_NOISE_BYTES, "the wire");
static_assert(RAIM_INIT_BYTES <= RAIM_CONNECTIONLESS_BYTES, "either is sent from the same memory");

struct raim_connector {
    bool require_encryption;
    bool has_key; // `key` is that of the only server to talk to
    uint8_t key[RAIM_KEY_BYTES];
    struct raim_credential access, session; // kind NONE: none
    bool session_rejected; // the server forgot the session: use the access token or the password
    struct raim_password_key *password_key; // NULL: there is no password
    struct raim_credential password;        // its key for the newest salt

    enum raim_connector_state state;
    struct raim_connect_request connect_request; // to send
    struct raim_cookie cookie;                   // the newest good one
    bool has_sent;
    uint64_t sent_us, handshake_begun_us;
    uint8_t cookie_bytes[RAIM_COOKIE_BYTES]; // `cookie` as it came, for the handshake
    size_t cookie_size;
    uint8_t init[RAIM_INIT_BYTES];
    size_t init_size;
    struct raim_noise noise;
    bool secure;
    struct raim_secure_channel channel;
    struct raim_rejected rejection;

    enum raim_connector_mismatch doubt;
    uint64_t doubted_us; // since when
    uint8_t other_key[RAIM_KEY_BYTES];
};

struct raim_connector *raim_connector_create(const struct raim_connector_def *def)
{
    assert(def->access_size <= RAIM_ACCESS_BYTES);
    if (!raim_crypto_init())
        return NULL;
    struct raim_connector *connector = raim_crypto_allocate(sizeof *connector);
    if (connector == NULL)
        return NULL;
    connector->require_encryption = def->require_encryption;
    if (def->server_key != NULL) {
        connector->has_key = true;
        memcpy(connector->key, def->server_key, sizeof connector->key);
    }
    if (def->access_size > 0) {
        connector->access.kind = RAIM_CREDENTIAL_ACCESS;
        connector->access.size = (uint8_t)def->access_size;
        memcpy(connector->access.bytes, def->access, def->access_size);
    }
    if (def->password != NULL) {
        connector->password_key = raim_password_key_create(def->password);
        if (connector->password_key == NULL) {
            raim_connector_destroy(connector);
            return NULL;
        }
    }
    return connector;
}

void raim_connector_destroy(struct raim_connector *connector)
{
    if (connector != NULL)
        raim_password_key_destroy(connector->password_key);
    raim_crypto_free(connector);
}

void raim_connector_stop(struct raim_connector *connector)
{
    raim_crypto_wipe(&connector->noise, sizeof connector->noise);
    raim_crypto_wipe(&connector->channel, sizeof connector->channel);
    connector->secure = false;
    connector->state = RAIM_CONNECTOR_IDLE;
}

static void connect_request(struct raim_connector *connector)
{
    connector->state = RAIM_CONNECTOR_REQUESTING;
    connector->connect_request = (struct raim_connect_request){0};
    connector->has_sent = false;
}

void raim_connector_begin(struct raim_connector *connector, const uint8_t *session, uint64_t now_us)
{
    raim_connector_stop(connector);
    connector->doubt = RAIM_CONNECTOR_NO_MISMATCH;
    connector->doubted_us = now_us;
    connector->session = (struct raim_credential){0};
    if (session != NULL) {
        connector->session.kind = RAIM_CREDENTIAL_SESSION;
        connector->session.size = RAIM_TOKEN_BYTES;
        memcpy(connector->session.bytes, session, RAIM_TOKEN_BYTES);
    }
    connect_request(connector);
}

enum raim_connector_state raim_connector_state(const struct raim_connector *connector)
{
    return connector->state;
}

static void begin_handshake(struct raim_connector *connector, uint64_t now_us);

size_t raim_connector_send(struct raim_connector *connector, uint64_t now_us,
                           uint8_t bytes[RAIM_CONNECTIONLESS_BYTES])
{
    if (connector->state == RAIM_CONNECTOR_DERIVING)
        begin_handshake(connector, now_us);
    if (connector->state == RAIM_CONNECTOR_HANDSHAKING &&
        now_us - connector->handshake_begun_us >= handshake_us)
        connect_request(connector);
    if ((connector->state != RAIM_CONNECTOR_REQUESTING &&
         connector->state != RAIM_CONNECTOR_HANDSHAKING) ||
        (connector->has_sent && now_us - connector->sent_us < repeat_us))
        return 0;
    connector->has_sent = true;
    connector->sent_us = now_us;
    if (connector->state == RAIM_CONNECTOR_REQUESTING)
        return raim_connect_request_write(&connector->connect_request, bytes);
    memcpy(bytes, connector->init, connector->init_size);
    return connector->init_size;
}

void raim_connector_repeat(struct raim_connector *connector)
{
    connector->has_sent = false;
}

// --- Cookies ---

// The credential to show. The password is one for encrypted handshakes alone.
static const struct raim_credential *credential(const struct raim_connector *connector)
{
    static const struct raim_credential none;
    const struct raim_cookie *cookie = &connector->cookie;
    if (connector->session.kind != RAIM_CREDENTIAL_NONE && !connector->session_rejected)
        return &connector->session;
    if (cookie->needs_password && connector->password_key != NULL)
        return &connector->password;
    return cookie->needs_admission ? &connector->access : &none;
}

// Whether a cookie has the expected key and offers encryption where it is required. Other cookies
// are ignored, because an attacker may have sent them.
static bool is_expected(struct raim_connector *connector, const struct raim_cookie *cookie,
                        uint64_t now_us)
{
    enum raim_connector_mismatch doubt = RAIM_CONNECTOR_NO_MISMATCH;
    if ((connector->has_key || connector->require_encryption) && !cookie->offers_encryption)
        doubt = RAIM_CONNECTOR_PLAIN;
    else if (connector->has_key &&
             memcmp(cookie->server_key, connector->key, sizeof connector->key) != 0)
        doubt = RAIM_CONNECTOR_OTHER_KEY;
    if (doubt == RAIM_CONNECTOR_NO_MISMATCH) {
        connector->doubt = doubt;
        return true;
    }
    if (connector->doubt == RAIM_CONNECTOR_NO_MISMATCH)
        connector->doubted_us = now_us;
    connector->doubt = doubt;
    memcpy(connector->other_key, cookie->server_key, sizeof connector->other_key);
    return false;
}

// Gets the key of the password that is to be shown. False while it is being derived, and after the
// connection was given up because memory ran out.
static bool has_password_key(struct raim_connector *connector)
{
    struct raim_credential *password = &connector->password;
    static const struct raim_rejected no_memory = {
        .reason = RAIM_REASON_LOST,
        .text = "there are no 64 MiB of memory for the key of the password",
    };
    if (credential(connector) != password)
        return true;
    switch (
        raim_password_key_get(connector->password_key, connector->cookie.salt, password->bytes)) {
    case RAIM_PASSWORD_KEY_DERIVING:
        connector->state = RAIM_CONNECTOR_DERIVING;
        return false;
    case RAIM_PASSWORD_KEY_FAILED:
        connector->rejection = no_memory;
        connector->state = RAIM_CONNECTOR_REJECTED;
        return false;
    case RAIM_PASSWORD_KEY_READY:
        break;
    }
    password->kind = RAIM_CREDENTIAL_PASSWORD;
    password->size = RAIM_PASSWORD_KEY_BYTES;
    return true;
}

// Begins a handshake over the bytes of the cookie. With an invalid public key the client goes on
// asking for a cookie.
static void begin_handshake(struct raim_connector *connector, uint64_t now_us)
{
    uint8_t prologue[RAIM_PROLOGUE_BYTES], payload[RAIM_CREDENTIAL_MAX_BYTES];
    uint8_t secret[RAIM_KEY_BYTES];
    if (!has_password_key(connector))
        return;
    const size_t payload_size = raim_credential_write(credential(connector), payload);
    const bool aesgcm = connector->cookie.offers_aesgcm && raim_crypto_has_aesgcm();
    raim_noise_initiate(
        &connector->noise, aesgcm ? RAIM_CIPHER_AESGCM : RAIM_CIPHER_CHACHAPOLY,
        connector->cookie.server_key, prologue,
        raim_prologue_write(connector->cookie_bytes, connector->cookie_size, prologue));
    raim_crypto_random(secret, sizeof secret);
    raim_init_write_head(connector->cookie.cookie, aesgcm, connector->init);
    const bool good = raim_noise_write(&connector->noise, secret, payload, payload_size,
                                       connector->init + RAIM_INIT_HEAD_BYTES);
    raim_crypto_wipe(secret, sizeof secret);
    raim_crypto_wipe(payload, sizeof payload);
    connector->init_size = RAIM_INIT_HEAD_BYTES + RAIM_NOISE_BYTES + payload_size;
    connector->handshake_begun_us = now_us;
    connector->has_sent = false;
    connector->state = good ? RAIM_CONNECTOR_HANDSHAKING : RAIM_CONNECTOR_REQUESTING;
}

static bool take_cookie(struct raim_connector *connector, uint64_t now_us, const uint8_t *data,
                        size_t size)
{
    struct raim_cookie cookie;
    if (!raim_cookie_read(data, size, &cookie) || !is_expected(connector, &cookie, now_us))
        return false;
    connector->cookie = cookie;
    memcpy(connector->cookie_bytes, data, size);
    connector->cookie_size = size;
    if (cookie.offers_encryption) {
        // The server computes the handshake over the cookie without the flag `admitted`, so the
        // bytes of an admitted cookie cannot match.
        if (!cookie.admitted)
            begin_handshake(connector, now_us);
    } else if (cookie.needs_admission && !cookie.admitted) {
        connector->has_sent =
            connector->has_sent && connector->connect_request.cookie == cookie.cookie;
        connector->connect_request.cookie = cookie.cookie;
        connector->connect_request.credential = *credential(connector);
    } else {
        connector->state = RAIM_CONNECTOR_READY;
    }
    return true;
}

// --- Answers ---

static void be_rejected(struct raim_connector *connector, const struct raim_rejected *rejected)
{
    // A server that has forgotten the session may still let the access token or the password in.
    if ((rejected->reason == RAIM_REASON_ACCESS || rejected->reason == RAIM_REASON_PASSWORD) &&
        !connector->session_rejected && connector->session.kind != RAIM_CREDENTIAL_NONE &&
        (connector->access.kind != RAIM_CREDENTIAL_NONE || connector->password_key != NULL)) {
        connector->session_rejected = true;
        connect_request(connector);
        return;
    }
    connector->rejection = *rejected;
    connector->state = RAIM_CONNECTOR_REJECTED;
}

// A rejection in plain text may be forged, so it counts only where plain text is allowed.
static bool take_rejected(struct raim_connector *connector, const uint8_t *data, size_t size)
{
    struct raim_rejected rejected;
    if (connector->has_key || connector->require_encryption ||
        !raim_rejected_read(data, size, &rejected))
        return false;
    be_rejected(connector, &rejected);
    return true;
}

static bool take_response(struct raim_connector *connector, uint64_t now_us, const uint8_t *data,
                          size_t size)
{
    const uint8_t *message = raim_response_read(data, size);
    if (message == NULL)
        return false;
    struct raim_rejected rejected = {0};
    uint8_t send_key[RAIM_KEY_BYTES], receive_key[RAIM_KEY_BYTES];
    struct raim_noise noise = connector->noise; // a copy: a forged answer must not change the state
    const bool good = raim_noise_read(&noise, message, RAIM_NOISE_BYTES + 1, &rejected.reason);
    if (good) {
        connector->has_key = true;
        memcpy(connector->key, connector->cookie.server_key, sizeof connector->key);
        if (rejected.reason != 0) {
            be_rejected(connector, &rejected);
        } else {
            raim_noise_split(&noise, send_key, receive_key);
            raim_secure_channel_begin(&connector->channel, connector->noise.cipher, send_key,
                                      receive_key, (int64_t)(now_us / 1000));
            connector->secure = true;
            connector->state = RAIM_CONNECTOR_READY;
        }
        raim_crypto_wipe(&connector->noise, sizeof connector->noise);
        raim_crypto_wipe(send_key, sizeof send_key);
        raim_crypto_wipe(receive_key, sizeof receive_key);
    }
    raim_crypto_wipe(&noise, sizeof noise);
    return good;
}

bool raim_connector_receive(struct raim_connector *connector, uint64_t now_us, const uint8_t *data,
                            size_t size)
{
    const enum raim_connectionless_kind kind = raim_connectionless_kind(data, size);
    if (connector->state == RAIM_CONNECTOR_REQUESTING && kind == RAIM_CONNECTIONLESS_COOKIE)
        return take_cookie(connector, now_us, data, size);
    if (connector->state == RAIM_CONNECTOR_REQUESTING && kind == RAIM_CONNECTIONLESS_REJECTED)
        return take_rejected(connector, data, size);
    return connector->state == RAIM_CONNECTOR_HANDSHAKING &&
           kind == RAIM_CONNECTIONLESS_HANDSHAKE && take_response(connector, now_us, data, size);
}

uint32_t raim_connector_cookie(const struct raim_connector *connector)
{
    return connector->cookie.cookie;
}

const struct raim_rejected *raim_connector_rejection(const struct raim_connector *connector)
{
    return &connector->rejection;
}

enum raim_connector_mismatch raim_connector_mismatch(const struct raim_connector *connector,
                                                     uint64_t now_us, uint8_t key[RAIM_KEY_BYTES])
{
    memcpy(key, connector->other_key, sizeof connector->other_key);
    return now_us - connector->doubted_us >= doubt_us ? connector->doubt
                                                      : RAIM_CONNECTOR_NO_MISMATCH;
}

bool raim_connector_server_key(const struct raim_connector *connector, uint8_t key[RAIM_KEY_BYTES])
{
    memcpy(key, connector->key, sizeof connector->key);
    return connector->has_key;
}

// --- Datagrams ---

bool raim_connector_is_secure(const struct raim_connector *connector)
{
    return connector->secure;
}

size_t raim_connector_encrypt(struct raim_connector *connector, uint64_t now_us,
                              const uint8_t *plain, size_t size, uint8_t *data)
{
    assert(connector->secure);
    return raim_secure_channel_encrypt(&connector->channel, (int64_t)(now_us / 1000), plain, size,
                                       data);
}

size_t raim_connector_decrypt(struct raim_connector *connector, const uint8_t *data, size_t size,
                              uint8_t *plain)
{
    size_t plain_size = 0;
    assert(connector->secure);
    return raim_secure_channel_decrypt(&connector->channel, data, size, plain, &plain_size) ==
                   RAIM_SECURE_OK
               ? plain_size
               : 0;
}

static_assert(RAIM_TOKEN_BYTES == RAIM_CRYPTO_SIPHASH_KEY_BYTES, "a token is a key");
static_assert(sizeof(uint64_t) == sizeof((struct raim_invite){0}.proof), "a proof is a hash");

static bool is_right(const struct raim_invite *invite, const uint8_t token[RAIM_TOKEN_BYTES])
{
    uint8_t proof[sizeof invite->proof];
    const uint64_t hash = raim_crypto_siphash(token, invite->nonce, sizeof invite->nonce);
    for (size_t i = 0; i < sizeof proof; i++)
        proof[i] = (uint8_t)(hash >> 8 * i);
    return raim_crypto_is_equal(proof, invite->proof, sizeof proof);
}

bool raim_invitation_take(struct raim_invitations *invitations, const struct raim_invite *invite,
                          const uint8_t token[RAIM_TOKEN_BYTES])
{
    if (invitations->count == RAIM_INVITATIONS || !is_right(invite, token))
        return false;
    for (uint32_t i = 0; i < invitations->count; i++)
        if (memcmp(invitations->nonces[i], invite->nonce, sizeof invite->nonce) == 0)
            return false;
    memcpy(invitations->nonces[invitations->count++], invite->nonce, sizeof invite->nonce);
    return true;
}
