// SPDX-License-Identifier: MIT
// datagrams.json: machine-readable connectionless datagrams and access tokens. Each is read to the
// values in the file and written as equal bytes; the tokens' signatures are valid.
#include "access.h"
#include "access_control.h"
#include "connector.h"
#include "gateway.h"
#include "noise.h"
#include "secure_channel.h"
#include "secure_datagram.h"
#include "test.h"
#include "used_tokens.h"

#include <arpa/inet.h>
#include <jansson.h>

static json_t *vectors;

static int load_file(void **state)
{
    (void)state;
    vectors = json_load_file(RAIM_SOURCE_DIR "/proto/datagrams.json", 0, NULL);
    return json_array_size(vectors) > 0 ? 0 : -1;
}

static int unload_file(void **state)
{
    (void)state;
    json_decref(vectors);
    return 0;
}

// Decodes hexadecimal bytes, optionally separated by spaces.
static size_t bytes_of(const char *hex, uint8_t *bytes, size_t capacity)
{
    size_t size = 0;
    for (const char *at = hex; *at != '\0'; at += at[2] == ' ' ? 3 : 2) {
        unsigned value;
        assert_true(size < capacity);
        assert_int_equal(sscanf(at, "%2x", &value), 1);
        bytes[size++] = (uint8_t)value;
    }
    return size;
}

static const char *text_of(const json_t *vector, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(vector, "value"), key));
    assert_non_null(text);
    return text;
}

static uint64_t number_of(const json_t *vector, const char *key)
{
    const json_t *number = json_object_get(json_object_get(vector, "value"), key);
    assert_true(json_is_integer(number));
    return (uint64_t)json_integer_value(number);
}

static void assert_bytes(const json_t *vector, const char *key, const uint8_t *bytes, size_t size)
{
    uint8_t told[64];
    assert_int_equal(bytes_of(text_of(vector, key), told, sizeof told), size);
    assert_memory_equal(bytes, told, size);
}

static size_t rewrite_cookie(const json_t *vector, const uint8_t *bytes, size_t size,
                             uint8_t *written)
{
    struct raim_cookie cookie;
    assert_true(raim_cookie_read(bytes, size, &cookie));
    assert_int_equal(cookie.cookie, number_of(vector, "cookie"));
    assert_int_equal(cookie.needs_admission, number_of(vector, "needs_admission"));
    assert_int_equal(cookie.offers_encryption, number_of(vector, "offers_encryption"));
    assert_int_equal(cookie.requires_encryption, number_of(vector, "requires_encryption"));
    assert_int_equal(cookie.admitted, number_of(vector, "admitted"));
    assert_int_equal(cookie.needs_password, number_of(vector, "needs_password"));
    assert_int_equal(cookie.offers_aesgcm, number_of(vector, "offers_aesgcm"));
    assert_string_equal(cookie.arena, text_of(vector, "arena"));
    if (cookie.offers_encryption)
        assert_bytes(vector, "server_key", cookie.server_key, sizeof cookie.server_key);
    if (cookie.needs_password)
        assert_bytes(vector, "salt", cookie.salt, sizeof cookie.salt);
    return raim_cookie_write(&cookie, written);
}

static size_t rewrite_invite(const json_t *vector, const uint8_t *bytes, size_t size,
                             uint8_t *written)
{
    struct raim_invite invite;
    uint8_t token[RAIM_TOKEN_BYTES];
    assert_true(raim_invite_read(bytes, size, &invite));
    assert_bytes(vector, "nonce", invite.nonce, sizeof invite.nonce);
    assert_bytes(vector, "proof", invite.proof, sizeof invite.proof);
    assert_int_equal(bytes_of(text_of(vector, "token"), token, sizeof token), sizeof token);
    struct raim_invitations none = {0};
    assert_true(raim_invitation_take(&none, &invite, token));
    return raim_invite_write(&invite, written);
}

static size_t rewrite_connect_request(const json_t *vector, const uint8_t *bytes, size_t size,
                                      uint8_t *written)
{
    struct raim_connect_request connect_request;
    assert_true(raim_connect_request_read(bytes, size, &connect_request));
    assert_int_equal(connect_request.cookie, number_of(vector, "cookie"));
    assert_int_equal(connect_request.credential.kind, number_of(vector, "credential_kind"));
    assert_bytes(vector, "credential", connect_request.credential.bytes,
                 connect_request.credential.size);
    return raim_connect_request_write(&connect_request, written);
}

static size_t rewrite_rejected(const json_t *vector, const uint8_t *bytes, size_t size,
                               uint8_t *written)
{
    struct raim_rejected rejected;
    assert_true(raim_rejected_read(bytes, size, &rejected));
    assert_int_equal(rejected.reason, number_of(vector, "reason"));
    assert_string_equal(rejected.text, text_of(vector, "text"));
    return raim_rejected_write(&rejected, written);
}

static const json_t *value_of(const json_t *vector, const char *key)
{
    return json_object_get(json_object_get(vector, "value"), key);
}

// Encrypts and decrypts the datagrams of one direction.
static void assert_direction(const json_t *datagrams, enum raim_cipher cipher, const uint8_t *key)
{
    static const uint8_t other[RAIM_KEY_BYTES];
    struct raim_secure_channel sender, receiver;
    size_t index;
    json_t *it;
    raim_secure_channel_begin(&sender, cipher, key, other, 0);
    raim_secure_channel_begin(&receiver, cipher, other, key, 0);
    json_array_foreach(datagrams, index, it)
    {
        uint8_t plain[64], expected[128], encrypted[128], opened[128];
        const uint64_t number = (uint64_t)json_integer_value(json_object_get(it, "number"));
        const size_t plain_size =
            bytes_of(json_string_value(json_object_get(it, "plain")), plain, sizeof plain);
        const size_t size =
            bytes_of(json_string_value(json_object_get(it, "hex")), expected, sizeof expected);
        size_t opened_size;
        while (sender.sender.next < number)
            raim_secure_channel_encrypt(&sender, 0, plain, 1, encrypted);
        assert_int_equal(raim_secure_channel_encrypt(&sender, 0, plain, plain_size, encrypted),
                         size);
        assert_memory_equal(encrypted, expected, size);
        assert_int_equal(
            raim_secure_channel_decrypt(&receiver, encrypted, size, opened, &opened_size),
            RAIM_SECURE_OK);
        assert_int_equal(opened_size, plain_size);
        assert_memory_equal(opened, plain, plain_size);
    }
    assert_true(index > 0);
}

// Both ends of a handshake with the given ephemeral keys.
static size_t rewrite_handshake(const json_t *vector, const uint8_t *bytes, size_t size,
                                uint8_t *written)
{
    uint8_t cookie[RAIM_COOKIE_BYTES], prologue[RAIM_PROLOGUE_BYTES], server_secret[RAIM_KEY_BYTES],
        server_key[RAIM_KEY_BYTES], client[RAIM_KEY_BYTES], server[RAIM_KEY_BYTES],
        payload[RAIM_CREDENTIAL_MAX_BYTES], read[RAIM_CREDENTIAL_MAX_BYTES],
        response[RAIM_RESPONSE_BYTES], told[RAIM_RESPONSE_BYTES], up[RAIM_KEY_BYTES],
        down[RAIM_KEY_BYTES];
    struct raim_init init;
    struct raim_noise initiator, responder;
    struct raim_credential credential = {0};
    const size_t cookie_size = bytes_of(text_of(vector, "cookie"), cookie, sizeof cookie);
    const size_t prologue_size = raim_prologue_write(cookie, cookie_size, prologue);
    bytes_of(text_of(vector, "server_secret"), server_secret, sizeof server_secret);
    raim_crypto_derive_public_key(server_secret, server_key);
    assert_bytes(vector, "server_key", server_key, sizeof server_key);
    bytes_of(text_of(vector, "client_ephemeral_secret"), client, sizeof client);
    bytes_of(text_of(vector, "server_ephemeral_secret"), server, sizeof server);
    credential.kind = (enum raim_credential_kind)number_of(vector, "credential_kind");
    credential.size =
        (uint8_t)bytes_of(text_of(vector, "credential"), credential.bytes, RAIM_ACCESS_BYTES);
    const size_t payload_size = raim_credential_write(&credential, payload);

    assert_true(raim_init_read(bytes, size, &init));
    assert_int_equal(init.aesgcm, number_of(vector, "aesgcm"));
    const enum raim_cipher cipher = init.aesgcm ? RAIM_CIPHER_AESGCM : RAIM_CIPHER_CHACHAPOLY;
    if (init.aesgcm && !raim_crypto_has_aesgcm()) {
        memcpy(written, bytes, size); // there is nothing to compare it with
        return size;
    }
    raim_noise_initiate(&initiator, cipher, server_key, prologue, prologue_size);
    raim_init_write_head(init.cookie, init.aesgcm, written);
    assert_true(raim_noise_write(&initiator, client, payload, payload_size,
                                 written + RAIM_INIT_HEAD_BYTES));
    raim_noise_respond(&responder, cipher, server_secret, server_key, prologue, prologue_size);
    assert_true(raim_noise_read(&responder, init.message, init.size, read));
    assert_memory_equal(read, payload, payload_size);

    const uint8_t reason = (uint8_t)number_of(vector, "reason");
    raim_connectionless_write_head(RAIM_CONNECTIONLESS_HANDSHAKE, response);
    assert_true(raim_noise_write(&responder, server, &reason, 1,
                                 response + RAIM_CONNECTIONLESS_HEAD_BYTES));
    assert_int_equal(bytes_of(text_of(vector, "response"), told, sizeof told), sizeof told);
    assert_memory_equal(response, told, sizeof told);
    assert_true(raim_noise_read(&initiator, raim_response_read(told, sizeof told),
                                RAIM_NOISE_BYTES + 1, read));
    assert_int_equal(read[0], reason);
    assert_bytes(vector, "handshake_hash", initiator.h, sizeof initiator.h);
    raim_noise_split(&initiator, up, down);
    assert_bytes(vector, "up_key", up, sizeof up);
    assert_bytes(vector, "down_key", down, sizeof down);
    assert_direction(value_of(vector, "up"), cipher, up);
    assert_direction(value_of(vector, "down"), cipher, down);
    return RAIM_INIT_HEAD_BYTES + RAIM_NOISE_BYTES + payload_size;
}

// An arena that trusts the signing key admits the token's bearer under the token's name.
static void assert_admitted(const json_t *vector, const struct raim_access *access,
                            const uint8_t *bytes, size_t size)
{
    struct access_control_keys keys;
    char name[RAIM_MAX_NAME_BYTES + 1] = "";
    assert_true(access_control_read_keys(text_of(vector, "signed_by"), &keys));
    static struct used_tokens used;
    used_tokens_init(&used, 0);
    const struct access_control_def def = {.arena = access->arena, .keys = &keys, .used = &used};
    struct access_control *admission = access_control_create(&def);
    assert_non_null(admission);
    assert_int_equal(
        access_control_admit(admission, bytes, size, (int64_t)access->expiry, false, name),
        ACCESS_CONTROL_ADMITTED);
    assert_string_equal(name, access->name);
    access_control_destroy(admission);
}

static size_t rewrite_access(const json_t *vector, const uint8_t *bytes, size_t size,
                             uint8_t *written)
{
    struct raim_access access;
    const size_t signed_size = raim_access_read(bytes, size, &access);
    assert_int_equal(signed_size + RAIM_ACCESS_SIGNATURE_BYTES, size);
    assert_bytes(vector, "key_id", access.key_id, sizeof access.key_id);
    assert_int_equal(access.not_before, number_of(vector, "not_before"));
    assert_int_equal(access.expiry, number_of(vector, "expiry"));
    assert_bytes(vector, "nonce", access.nonce, sizeof access.nonce);
    assert_string_equal(access.arena, text_of(vector, "arena"));
    assert_string_equal(access.name, text_of(vector, "name"));
    assert_bytes(vector, "server_key", access.key, access.has_key ? sizeof access.key : 0);
    assert_admitted(vector, &access, bytes, size);
    assert_int_equal(raim_access_write(&access, written), signed_size);
    memcpy(written + signed_size, bytes + signed_size, RAIM_ACCESS_SIGNATURE_BYTES);
    return size;
}

static void assert_address(const json_t *vector, const char *key, const char *port_key,
                           const struct raim_address *address)
{
    char text[INET6_ADDRSTRLEN];
    inet_ntop(address->is_ipv6 ? AF_INET6 : AF_INET, address->bytes, text, sizeof text);
    assert_string_equal(text, text_of(vector, key));
    assert_int_equal(address->port, number_of(vector, port_key));
}

static size_t rewrite_announcement(const json_t *vector, const uint8_t *bytes, size_t size,
                                   uint8_t *written)
{
    uint8_t key[RAIM_GATEWAY_KEY_BYTES];
    struct raim_announcement announcement;
    assert_int_equal(bytes_of(text_of(vector, "key"), key, sizeof key), sizeof key);
    assert_true(raim_announcement_read(bytes, size, &announcement));
    assert_true(raim_announcement_verify(bytes, key));
    assert_int_equal(announcement.time_us, number_of(vector, "time_us"));
    assert_address(vector, "gateway", "gateway_port", &announcement.gateway);
    assert_address(vector, "player", "player_port", &announcement.player);
    raim_announcement_write(&announcement, key, written);
    return RAIM_ANNOUNCEMENT_BYTES;
}

static size_t rewrite(const json_t *vector, const char *kind, const uint8_t *bytes, size_t size,
                      uint8_t *written)
{
    const enum raim_connectionless_kind connect_request = raim_connectionless_kind(bytes, size);
    if (strcmp(kind, "access") == 0)
        return rewrite_access(vector, bytes, size, written);
    if (strcmp(kind, "cookie") == 0) {
        assert_int_equal(connect_request, RAIM_CONNECTIONLESS_COOKIE);
        return rewrite_cookie(vector, bytes, size, written);
    }
    if (strcmp(kind, "invite") == 0) {
        assert_int_equal(connect_request, RAIM_CONNECTIONLESS_INVITE);
        return rewrite_invite(vector, bytes, size, written);
    }
    if (strcmp(kind, "rejected") == 0) {
        assert_int_equal(connect_request, RAIM_CONNECTIONLESS_REJECTED);
        return rewrite_rejected(vector, bytes, size, written);
    }
    if (strcmp(kind, "handshake") == 0) {
        assert_int_equal(connect_request, RAIM_CONNECTIONLESS_HANDSHAKE);
        return rewrite_handshake(vector, bytes, size, written);
    }
    if (strcmp(kind, "announcement") == 0) {
        assert_int_equal(connect_request, RAIM_CONNECTIONLESS_ANNOUNCEMENT);
        return rewrite_announcement(vector, bytes, size, written);
    }
    assert_string_equal(kind, "connect_request");
    assert_int_equal(connect_request, RAIM_CONNECTIONLESS_REQUEST);
    return rewrite_connect_request(vector, bytes, size, written);
}

// A block of the document that holds these bytes, 24 a line.
static void assert_shown(const char *document, const char *name, const char *hex)
{
    char block[4096];
    size_t length = (size_t)snprintf(block, sizeof block, "```datagram %s\n%s", name, hex);
    const size_t head = length - strlen(hex);
    for (size_t at = head + 71; at < length; at += 72)
        block[at] = '\n';
    snprintf(block + length, sizeof block - length, "\n```\n");
    if (strstr(document, block) == NULL)
        fail_msg("the document should say:\n%s", block);
}

TEST(the_document_shows_the_handshake)
{
    static char document[1 << 20];
    FILE *file = fopen(RAIM_SOURCE_DIR "/proto/PROTOCOL.md", "r");
    assert_non_null(file);
    assert_true(fread(document, 1, sizeof document - 1, file) > 0);
    fclose(file);
    size_t index;
    json_t *vector;
    json_array_foreach(vectors, index, vector)
    {
        if (strcmp(json_string_value(json_object_get(vector, "kind")), "handshake") != 0)
            continue;
        const json_t *up = json_array_get(value_of(vector, "up"), 0);
        assert_shown(document, "handshake cookie", text_of(vector, "cookie"));
        assert_shown(document, "handshake init", json_string_value(json_object_get(vector, "hex")));
        assert_shown(document, "handshake response", text_of(vector, "response"));
        assert_shown(document, "handshake up", json_string_value(json_object_get(up, "hex")));
        return; // that with AES-256-GCM is in datagrams.json alone
    }
}

TEST(each_is_read_as_told_and_written_again)
{
    size_t index;
    json_t *vector;
    json_array_foreach(vectors, index, vector)
    {
        uint8_t bytes[RAIM_CONNECTIONLESS_BYTES], written[RAIM_CONNECTIONLESS_BYTES];
        const char *kind = json_string_value(json_object_get(vector, "kind"));
        print_message("%s\n", json_string_value(json_object_get(vector, "name")));
        const size_t size =
            bytes_of(json_string_value(json_object_get(vector, "hex")), bytes, sizeof bytes);
        assert_int_equal(rewrite(vector, kind, bytes, size, written), size);
        assert_memory_equal(written, bytes, size);
    }
}

TEST_GROUP(load_file, unload_file)
