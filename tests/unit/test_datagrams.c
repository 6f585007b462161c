// SPDX-License-Identifier: MIT
// datagrams.json: what goes without a connection, and access tokens, for machines. All can be read,
// says what stands there, and is written as the same bytes again; tokens are signed as they say.
#include "access.h"
#include "admission.h"
#include "invitation.h"
#include "knock.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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

// Bytes as two digits each, maybe with spaces between them.
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

static size_t rewrite_ticket(const json_t *vector, const uint8_t *bytes, size_t size,
                             uint8_t *written)
{
    struct raim_ticket ticket;
    assert_true(raim_ticket_read(bytes, size, &ticket));
    assert_int_equal(ticket.ticket, number_of(vector, "ticket"));
    assert_int_equal(ticket.access, number_of(vector, "access"));
    assert_int_equal(ticket.sealed, number_of(vector, "sealed"));
    if (ticket.sealed) {
        assert_bytes(vector, "identity", ticket.identity, sizeof ticket.identity);
        assert_bytes(vector, "ephemeral", ticket.ephemeral, sizeof ticket.ephemeral);
    }
    return raim_ticket_write(&ticket, written);
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
    assert_true(raim_invitation_is_right(&invite, token));
    return raim_invite_write(&invite, written);
}

// An arena with the key that has signed it lets its bearer in, under the name in it.
static void assert_admitted(const json_t *vector, const struct raim_access *access,
                            const uint8_t *bytes, size_t size)
{
    struct admission_keys keys;
    char name[ADMISSION_NAME_BYTES] = "";
    assert_true(admission_read_keys(text_of(vector, "signed_by"), &keys));
    struct admission *admission = admission_create(access->arena, &keys);
    assert_non_null(admission);
    assert_int_equal(admission_judge(admission, bytes, size, (int64_t)access->expiry, name),
                     ADMISSION_ADMITTED);
    assert_string_equal(name, access->name);
    admission_destroy(admission);
}

static size_t rewrite_access(const json_t *vector, const uint8_t *bytes, size_t size,
                             uint8_t *written)
{
    struct raim_access access;
    const size_t signed_size = raim_access_read(bytes, size, &access);
    assert_int_equal(signed_size + RAIM_ACCESS_SIGNATURE_BYTES, size);
    assert_int_equal(access.expiry, number_of(vector, "expiry"));
    assert_true(access.nonce == number_of(vector, "nonce"));
    assert_string_equal(access.arena, text_of(vector, "arena"));
    assert_string_equal(access.name, text_of(vector, "name"));
    assert_bytes(vector, "server_key", access.key, access.has_key ? sizeof access.key : 0);
    assert_admitted(vector, &access, bytes, size);
    assert_int_equal(raim_access_write(&access, written), signed_size);
    memcpy(written + signed_size, bytes + signed_size, RAIM_ACCESS_SIGNATURE_BYTES);
    return size;
}

static size_t rewrite(const json_t *vector, const char *kind, const uint8_t *bytes, size_t size,
                      uint8_t *written)
{
    const enum raim_knock_kind knock = raim_knock_kind(bytes, size);
    if (strcmp(kind, "access") == 0)
        return rewrite_access(vector, bytes, size, written);
    if (strcmp(kind, "ticket") == 0) {
        assert_int_equal(knock, RAIM_KNOCK_TICKET);
        return rewrite_ticket(vector, bytes, size, written);
    }
    if (strcmp(kind, "invite") == 0) {
        assert_int_equal(knock, RAIM_KNOCK_INVITE);
        return rewrite_invite(vector, bytes, size, written);
    }
    assert_string_equal(kind, "knock");
    assert_int_equal(knock, RAIM_KNOCK_KNOCK);
    assert_true(raim_knock_read(bytes, size));
    return raim_knock_write(written);
}

static void test_each_is_read_as_told_and_written_again(void **state)
{
    (void)state;
    size_t index;
    json_t *vector;
    json_array_foreach(vectors, index, vector)
    {
        uint8_t bytes[RAIM_KNOCK_BYTES], written[RAIM_KNOCK_BYTES];
        const char *kind = json_string_value(json_object_get(vector, "kind"));
        print_message("%s\n", json_string_value(json_object_get(vector, "name")));
        const size_t size =
            bytes_of(json_string_value(json_object_get(vector, "hex")), bytes, sizeof bytes);
        assert_int_equal(rewrite(vector, kind, bytes, size, written), size);
        assert_memory_equal(written, bytes, size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_is_read_as_told_and_written_again),
    };
    return cmocka_run_group_tests(tests, load_file, unload_file);
}
