// SPDX-License-Identifier: MIT
// A client's way to a connection against a server made of admission and sessions, and against
// whoever stands between them: it never falls back from encryption to plain text.
#define _GNU_SOURCE
#include "admission.h"
#include "connector.h"
#include "crypto.h"
#include "message.h"
#include "secure_sessions.h"
#include "test.h"

#include <time.h>

enum { MS = 1000, S = 1000000 };

static struct udp_address from = {.ip.low = IP_V4_MAPPED << 32 | 0x0A000001, .port = 40000};
static const uint8_t secret[RAIM_KEY_BYTES] = {8}, other_secret[RAIM_KEY_BYTES] = {16};
static const uint8_t session[RAIM_TOKEN_BYTES] = {9, 9};

static struct {
    struct admission admission;
    struct secure_sessions *sessions;
    const char *ban;
    bool has_session;
    int connect_requests, inits; // heard
    bool aesgcm;                 // in the last INIT
    uint8_t erased_flags;        // of the COOKIE on its way
    uint8_t changed_init;        // bits of the last byte of its cookie
    struct raim_credential shown;
} server;
static struct raim_connector *client;
static uint64_t now_us;

static const char *find_ban(void *context, struct ip_address ip)
{
    (void)context;
    assert_true(ip_address_equal(ip, from.ip));
    return server.ban;
}

static bool admits_token(void *context, const uint8_t *token, size_t size)
{
    (void)context;
    return size == 4 && memcmp(token, "good", 4) == 0;
}

static bool admits_password(void *context, const uint8_t *key)
{
    (void)context;
    uint8_t right[RAIM_PASSWORD_KEY_BYTES];
    return raim_crypto_derive_password_key("right", server.admission.offer.salt, right) &&
           memcmp(key, right, sizeof right) == 0;
}

static bool has_session(void *context, const uint8_t *token)
{
    (void)context;
    return server.has_session && memcmp(token, session, sizeof session) == 0;
}

static void start_server(const uint8_t *key)
{
    struct admission_secrets secrets;
    raim_crypto_random(&secrets, sizeof secrets);
    admission_init(&server.admission, 7246, &secrets);
    server.admission.requires_cookies = true;
    server.admission.policy = (struct admission_policy){.find_ban = find_ban,
                                                        .admits_token = admits_token,
                                                        .admits_password = admits_password,
                                                        .has_session = has_session};
    secure_sessions_destroy(server.sessions);
    server.sessions = key != NULL ? secure_sessions_create(8, key, secrets.hash) : NULL;
    if (server.sessions == NULL)
        return;
    server.admission.offer.offers_encryption = true;
    server.admission.offer.offers_aesgcm = raim_crypto_has_aesgcm();
    memcpy(server.admission.offer.server_key, secure_sessions_public_key(server.sessions),
           RAIM_KEY_BYTES);
}

static void set_up(void)
{
    memset(&server, 0, sizeof server);
    now_us = 5 * S;
    start_server(secret);
}

static void tear_down(void)
{
    secure_sessions_destroy(server.sessions);
    server.sessions = NULL;
    raim_connector_destroy(client);
    client = NULL;
}

TEST_EACH(set_up, tear_down)

static void open_client(const struct raim_connector_def *def, const uint8_t *token)
{
    from.port++; // as of each connection
    client = raim_connector_create(def);
    assert_non_null(client);
    raim_connector_begin(client, token, now_us);
}

static void receive_init(const uint8_t *data, size_t size)
{
    struct raim_init init;
    uint8_t cookie[RAIM_COOKIE_BYTES], reply[RAIM_RESPONSE_BYTES], ephemeral[RAIM_KEY_BYTES];
    size_t cookie_size;
    enum raim_credential_kind accepted;
    server.inits++;
    assert_true(raim_init_read(data, size, &init));
    server.aesgcm = init.aesgcm;
    raim_crypto_random(ephemeral, sizeof ephemeral);
    if (admission_check_init(&server.admission, from, init.cookie, (int64_t)now_us, cookie,
                             &cookie_size) != DATAGRAM_OK ||
        !secure_sessions_read(server.sessions, &init, cookie, cookie_size, ephemeral,
                              &server.shown))
        return;
    const enum datagram_verdict verdict = admission_check_credential(
        &server.admission, from.ip, &server.shown, (int64_t)now_us, &accepted);
    size_t reply_size = RAIM_RESPONSE_BYTES;
    if (verdict != DATAGRAM_OK)
        reply_size = secure_sessions_reject(server.sessions, admission_reason(verdict), reply);
    else
        assert_int_equal(secure_sessions_begin(server.sessions, from, (struct secure_limits){0},
                                               accepted, (int64_t)now_us / MS, reply),
                         DATAGRAM_OK);
    raim_connector_receive(client, now_us, reply, reply_size);
}

// The client's turn, and the server's answers to it.
static void turn(void)
{
    uint8_t bytes[RAIM_CONNECTIONLESS_BYTES];
    const size_t size = raim_connector_send(client, now_us, bytes);
    if (size == 0)
        return;
    if (raim_connectionless_kind(bytes, size) == RAIM_CONNECTIONLESS_HANDSHAKE) {
        bytes[RAIM_INIT_HEAD_BYTES - 1] ^= server.changed_init;
        receive_init(bytes, size);
        return;
    }
    struct admission_answer answer;
    struct raim_connect_request connect_request;
    server.connect_requests++;
    assert_true(raim_connect_request_read(bytes, size, &connect_request));
    server.shown = connect_request.credential;
    admission_receive(&server.admission, from, bytes, size, (int64_t)now_us, &answer);
    assert_int_equal(answer.verdict, ADMISSION_ANSWERED);
    assert_true(answer.size + answer.notice_size < size);
    if (answer.notice_size > 0)
        raim_connector_receive(client, now_us, answer.notice, answer.notice_size);
    answer.reply[RAIM_CONNECTIONLESS_HEAD_BYTES] &= (uint8_t)~server.erased_flags;
    if (answer.size > 0)
        raim_connector_receive(client, now_us, answer.reply, answer.size);
}

static void run(int ms)
{
    for (int i = 0; i < ms; i += 10) {
        turn();
        now_us += 10 * MS;
    }
}

static enum datagram_verdict connect_plainly(void)
{
    static uint32_t id;
    const struct datagram_connect connect = {++id, raim_connector_cookie(client)};
    return admission_admit(&server.admission, from, connect, false, (int64_t)now_us);
}

static const struct raim_connector_def anybody = {0};
static const struct raim_connector_def holder = {.access = (const uint8_t *)"good",
                                                 .access_size = 4};
static const struct raim_connector_def pretender = {.access = (const uint8_t *)"evil",
                                                    .access_size = 4};

TEST(access_tokens_are_shown_encrypted_or_for_an_admitted_cookie)
{
    for (int plain = 0; plain < 2; plain++) {
        start_server(plain ? NULL : secret);
        server.admission.offer.needs_admission = true;
        open_client(&holder, NULL);
        run(50);
        assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_READY);
        assert_int_equal(raim_connector_is_secure(client), !plain);
        assert_int_equal(server.shown.kind, RAIM_CREDENTIAL_ACCESS);
        assert_int_equal(connect_plainly(), plain ? DATAGRAM_OK : DATAGRAM_COOKIE);
        raim_connector_destroy(client);
        open_client(plain ? &pretender : &anybody, NULL);
        run(50);
        assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_REJECTED);
        assert_int_equal(raim_connector_rejection(client)->reason, RAIM_REASON_ACCESS);
        raim_connector_destroy(client);
        client = NULL;
    }
}

TEST(a_session_s_token_is_a_credential)
{
    for (int plain = 0; plain < 2; plain++) {
        start_server(plain ? NULL : secret);
        server.admission.offer.needs_admission = true;
        server.has_session = true;
        open_client(&anybody, session);
        run(50);
        assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_READY);
        assert_int_equal(server.shown.kind, RAIM_CREDENTIAL_SESSION);
        raim_connector_destroy(client);
        // Where it is not known any more, the access token may be.
        server.has_session = false;
        open_client(&holder, session);
        run(1000);
        assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_READY);
        assert_int_equal(server.shown.kind, RAIM_CREDENTIAL_ACCESS);
        raim_connector_destroy(client);
        open_client(&anybody, session);
        run(1000);
        assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_REJECTED);
        raim_connector_destroy(client);
        client = NULL;
    }
}

// Lets the client's thread derive the key of its password.
static void wait_for_key(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    run(20);
    for (int i = 0; i < 20000 && raim_connector_state(client) == RAIM_CONNECTOR_DERIVING; i++) {
        nanosleep(&moment, NULL);
        turn();
    }
    run(20);
}

static void start_locked_server(uint8_t salt)
{
    start_server(secret);
    server.admission.offer.needs_admission = server.admission.offer.needs_password = true;
    memset(server.admission.offer.salt, salt, sizeof server.admission.offer.salt);
}

TEST(a_password_is_shown_within_the_handshake)
{
    const struct raim_connector_def right = {.password = "right"}, wrong = {.password = "wrong"};
    for (uint8_t salt = 1; salt < 3; salt++) {
        start_locked_server(salt);
        open_client(&right, NULL);
        wait_for_key();
        assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_READY);
        assert_int_equal(server.shown.kind, RAIM_CREDENTIAL_PASSWORD);
        raim_connector_destroy(client);
        open_client(&wrong, NULL);
        wait_for_key();
        assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_REJECTED);
        assert_int_equal(raim_connector_rejection(client)->reason, RAIM_REASON_PASSWORD);
        raim_connector_destroy(client);
    }
    // Without one the rejection comes in the handshake, too, so that nobody on the path can write
    // it.
    const struct raim_connector_def careful = {.require_encryption = true};
    open_client(&careful, NULL);
    run(50);
    assert_int_equal(raim_connector_rejection(client)->reason, RAIM_REASON_PASSWORD);
    raim_connector_destroy(client);
    // An arena without a password is shown none.
    start_server(secret);
    open_client(&right, NULL);
    run(50);
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_READY);
    assert_int_equal(server.shown.kind, RAIM_CREDENTIAL_NONE);
}

TEST(an_access_token_or_a_session_s_needs_no_password)
{
    start_locked_server(1);
    open_client(&holder, NULL);
    run(50);
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_READY);
    raim_connector_destroy(client);
    server.has_session = true;
    open_client(&anybody, session);
    run(50);
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_READY);
    raim_connector_destroy(client);
    // Where the session is not known any more, the password may be good.
    server.has_session = false;
    const struct raim_connector_def right = {.password = "right"};
    open_client(&right, session);
    run(50);
    wait_for_key();
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_READY);
    assert_int_equal(server.shown.kind, RAIM_CREDENTIAL_PASSWORD);
}

TEST(a_forged_rejection_is_ignored_where_encryption_is_expected)
{
    const struct raim_rejected rejected = {.reason = RAIM_REASON_BANNED};
    const struct raim_connector_def careful = {.require_encryption = true};
    uint8_t bytes[RAIM_REJECTED_BYTES];
    const size_t size = raim_rejected_write(&rejected, bytes);
    open_client(&careful, NULL);
    raim_connector_receive(client, now_us, bytes, size);
    run(50);
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_READY);
    raim_connector_begin(client, NULL, now_us);
    raim_connector_receive(client, now_us, bytes, size);
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_REQUESTING);
    raim_connector_destroy(client);
    open_client(&anybody, NULL);
    raim_connector_receive(client, now_us, bytes, size);
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_REJECTED);
}

TEST(nobody_on_the_path_changes_the_cipher)
{
    static const uint8_t flag = 32, bit = 128;
    for (int offers = 0; offers <= raim_crypto_has_aesgcm(); offers++)
        for (int attack = 0; attack < 3; attack++) {
            start_server(secret);
            server.admission.offer.offers_aesgcm = offers;
            server.erased_flags = offers && attack == 1 ? flag : 0;
            server.changed_init = attack == 2 ? bit : 0;
            const bool is_changed = server.erased_flags + server.changed_init > 0;
            server.inits = 0;
            open_client(&anybody, NULL);
            run(5000);
            assert_int_not_equal(server.inits, 0);
            assert_int_equal(raim_connector_is_secure(client), !is_changed);
            // Without the attacker the connection comes about.
            server.erased_flags = server.changed_init = 0;
            run(3000);
            assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_READY);
            assert_true(raim_connector_is_secure(client));
            assert_int_equal(server.aesgcm, offers);
            raim_connector_destroy(client);
            client = NULL;
        }
}

TEST(after_one_handshake_there_is_no_plain_text)
{
    uint8_t key[RAIM_KEY_BYTES];
    open_client(&anybody, NULL);
    run(50);
    assert_true(raim_connector_is_secure(client));
    // The same connection's successor meets whoever answers in plain.
    start_server(NULL);
    raim_connector_begin(client, session, now_us);
    run(500);
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_REQUESTING);
    assert_int_equal(server.shown.kind, RAIM_CREDENTIAL_NONE); // the token is not sent in the clear
    assert_int_equal(raim_connector_mismatch(client, now_us, key), RAIM_CONNECTOR_NO_MISMATCH);
    run(1000);
    assert_int_equal(raim_connector_mismatch(client, now_us, key), RAIM_CONNECTOR_PLAIN);
    // Or another server.
    start_server(other_secret);
    run(1000);
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_REQUESTING);
    assert_int_equal(raim_connector_mismatch(client, now_us, key), RAIM_CONNECTOR_OTHER_KEY);
    assert_memory_equal(key, secure_sessions_public_key(server.sessions), sizeof key);
    assert_int_equal(server.inits, 1);
    start_server(secret);
    run(500);
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_READY);
    assert_true(raim_connector_is_secure(client));
    assert_int_equal(raim_connector_mismatch(client, now_us, key), RAIM_CONNECTOR_NO_MISMATCH);
    assert_int_equal(server.shown.kind, RAIM_CREDENTIAL_SESSION);
}

TEST(who_requires_encryption_takes_nothing_else)
{
    uint8_t key[RAIM_KEY_BYTES];
    const struct raim_connector_def careful = {.require_encryption = true};
    start_server(NULL);
    open_client(&careful, NULL);
    run(1500);
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_REQUESTING);
    assert_int_equal(raim_connector_mismatch(client, now_us, key), RAIM_CONNECTOR_PLAIN);
}

TEST(init_is_repeated_as_it_was_and_then_begun_anew)
{
    uint8_t first[RAIM_CONNECTIONLESS_BYTES], bytes[RAIM_CONNECTIONLESS_BYTES];
    open_client(&anybody, NULL);
    turn();
    const size_t size = raim_connector_send(client, now_us, first);
    assert_int_equal(raim_connectionless_kind(first, size), RAIM_CONNECTIONLESS_HANDSHAKE);
    int repeated = 0;
    for (int ms = 10; ms < 2000; ms += 10) {
        now_us += 10 * MS;
        const size_t again = raim_connector_send(client, now_us, bytes);
        if (again == 0)
            continue;
        assert_int_equal(again, size);
        assert_memory_equal(bytes, first, size);
        repeated++;
    }
    assert_int_equal(repeated, 7);
    now_us += 10 * MS;
    assert_int_equal(raim_connector_send(client, now_us, bytes), RAIM_CONNECTIONLESS_BYTES);
    assert_int_equal(raim_connectionless_kind(bytes, RAIM_CONNECTIONLESS_BYTES),
                     RAIM_CONNECTIONLESS_REQUEST);
}
