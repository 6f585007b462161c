// SPDX-License-Identifier: MIT
// Writes and reads datagrams without a connection.
#include "connectionless.h"

#include <assert.h>
#include <string.h>

enum {
    HEAD_BYTES = RAIM_CONNECTIONLESS_HEAD_BYTES,
    FLAG_NEEDS_ADMISSION = 1,
    FLAG_OFFERS_ENCRYPTION = 2,
    FLAG_REQUIRES_ENCRYPTION = 4,
    FLAG_ADMITTED = 8,
    FLAG_NEEDS_PASSWORD = 16,
    FLAG_OFFERS_AESGCM = 32,
    FLAGS = 63,
};

static const uint8_t prefix[8] = {0xFF, 0xFF, 0xFF, 0xFF, 'R', 'A', 'I', 'M'};

static_assert(HEAD_BYTES + 1 + 4 + RAIM_MAX_ARENA_BYTES + 1 + RAIM_KEY_BYTES +
                      RAIM_PASSWORD_SALT_BYTES ==
                  RAIM_COOKIE_BYTES,
              "a cookie fits");
static_assert(HEAD_BYTES + 16 == RAIM_INVITE_BYTES, "an INVITE is complete");
static_assert(RAIM_COOKIE_BYTES + RAIM_REJECTED_BYTES < RAIM_CONNECTIONLESS_BYTES,
              "both answers are smaller than their request");
static_assert(HEAD_BYTES + 4 + RAIM_CREDENTIAL_MAX_BYTES < RAIM_CONNECTIONLESS_BYTES,
              "every credential fits");

void raim_connectionless_write_head(enum raim_connectionless_kind kind,
                                    uint8_t bytes[RAIM_CONNECTIONLESS_HEAD_BYTES])
{
    memcpy(bytes, prefix, sizeof prefix);
    bytes[8] = (uint8_t)kind;
    bytes[9] = RAIM_CONNECTIONLESS_FORM;
}

enum raim_connectionless_kind raim_connectionless_kind(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES || memcmp(data, prefix, sizeof prefix) != 0 ||
        data[9] != RAIM_CONNECTIONLESS_FORM || data[8] > RAIM_CONNECTIONLESS_ANNOUNCEMENT)
        return RAIM_CONNECTIONLESS_NONE;
    return (enum raim_connectionless_kind)data[8];
}

static void write_u32(uint8_t *bytes, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

static uint32_t read_u32(const uint8_t *bytes)
{
    uint32_t number = 0;
    for (int i = 0; i < 4; i++)
        number |= (uint32_t)bytes[i] << 8 * i;
    return number;
}

size_t raim_credential_write(const struct raim_credential *credential,
                             uint8_t bytes[RAIM_CREDENTIAL_MAX_BYTES])
{
    bytes[0] = (uint8_t)credential->kind;
    bytes[1] = credential->size;
    memcpy(bytes + 2, credential->bytes, credential->size);
    return 2U + credential->size;
}

size_t raim_credential_read(const uint8_t *data, size_t size, struct raim_credential *credential)
{
    *credential = (struct raim_credential){0};
    if (size < 2 || data[0] >= RAIM_CREDENTIAL_KINDS || size - 2 < data[1])
        return 0;
    if ((data[0] == RAIM_CREDENTIAL_NONE && data[1] != 0) ||
        (data[0] == RAIM_CREDENTIAL_ACCESS && data[1] == 0) ||
        (data[0] == RAIM_CREDENTIAL_SESSION && data[1] != RAIM_TOKEN_BYTES) ||
        (data[0] == RAIM_CREDENTIAL_PASSWORD && data[1] != RAIM_PASSWORD_KEY_BYTES))
        return 0;
    credential->kind = (enum raim_credential_kind)data[0];
    credential->size = data[1];
    memcpy(credential->bytes, data + 2, data[1]);
    return 2U + data[1];
}

size_t raim_connect_request_write(const struct raim_connect_request *connect_request,
                                  uint8_t bytes[RAIM_CONNECTIONLESS_BYTES])
{
    memset(bytes, 0, RAIM_CONNECTIONLESS_BYTES);
    raim_connectionless_write_head(RAIM_CONNECTIONLESS_REQUEST, bytes);
    write_u32(bytes + HEAD_BYTES, connect_request->cookie);
    raim_credential_write(&connect_request->credential, bytes + HEAD_BYTES + 4);
    return RAIM_CONNECTIONLESS_BYTES;
}

bool raim_connect_request_read(const uint8_t *data, size_t size,
                               struct raim_connect_request *connect_request)
{
    *connect_request = (struct raim_connect_request){0};
    if (size < RAIM_CONNECTIONLESS_BYTES || size > RAIM_MAX_DATAGRAM_BYTES)
        return false;
    connect_request->cookie = read_u32(data + HEAD_BYTES);
    const size_t at = HEAD_BYTES + 4;
    const size_t taken = raim_credential_read(data + at, size - at, &connect_request->credential);
    // Every byte is zero if the first is zero and each equals its predecessor. One memcmp is fast
    // enough for a flood.
    const uint8_t *padding = data + at + taken;
    return taken > 0 && connect_request->cookie >> RAIM_COOKIE_BITS == 0 && padding[0] == 0 &&
           memcmp(padding, padding + 1, size - at - taken - 1) == 0;
}

size_t raim_cookie_write(const struct raim_cookie *cookie, uint8_t bytes[RAIM_COOKIE_BYTES])
{
    const size_t length = strlen(cookie->arena);
    assert(length > 0 && length <= RAIM_MAX_ARENA_BYTES);
    assert((!cookie->needs_password && !cookie->offers_aesgcm) || cookie->offers_encryption);
    raim_connectionless_write_head(RAIM_CONNECTIONLESS_COOKIE, bytes);
    bytes[HEAD_BYTES] = (uint8_t)((cookie->needs_admission ? FLAG_NEEDS_ADMISSION : 0) |
                                  (cookie->offers_encryption ? FLAG_OFFERS_ENCRYPTION : 0) |
                                  (cookie->requires_encryption ? FLAG_REQUIRES_ENCRYPTION : 0) |
                                  (cookie->admitted ? FLAG_ADMITTED : 0) |
                                  (cookie->needs_password ? FLAG_NEEDS_PASSWORD : 0) |
                                  (cookie->offers_aesgcm ? FLAG_OFFERS_AESGCM : 0));
    write_u32(bytes + HEAD_BYTES + 1, cookie->cookie);
    size_t at = HEAD_BYTES + 5;
    bytes[at++] = (uint8_t)length;
    memcpy(bytes + at, cookie->arena, length);
    at += length;
    if (!cookie->offers_encryption)
        return at;
    memcpy(bytes + at, cookie->server_key, RAIM_KEY_BYTES);
    at += RAIM_KEY_BYTES;
    if (!cookie->needs_password)
        return at;
    memcpy(bytes + at, cookie->salt, RAIM_PASSWORD_SALT_BYTES);
    return at + RAIM_PASSWORD_SALT_BYTES;
}

bool raim_cookie_read(const uint8_t *data, size_t size, struct raim_cookie *cookie)
{
    *cookie = (struct raim_cookie){0};
    size_t at = HEAD_BYTES + 6;
    if (size < at)
        return false;
    const uint8_t flags = data[HEAD_BYTES];
    const size_t length = data[HEAD_BYTES + 5];
    cookie->needs_admission = (flags & FLAG_NEEDS_ADMISSION) != 0;
    cookie->offers_encryption = (flags & FLAG_OFFERS_ENCRYPTION) != 0;
    cookie->requires_encryption = (flags & FLAG_REQUIRES_ENCRYPTION) != 0;
    cookie->admitted = (flags & FLAG_ADMITTED) != 0;
    cookie->needs_password = (flags & FLAG_NEEDS_PASSWORD) != 0;
    cookie->offers_aesgcm = (flags & FLAG_OFFERS_AESGCM) != 0;
    cookie->cookie = read_u32(data + HEAD_BYTES + 1);
    if ((flags & ~FLAGS) != 0 || cookie->cookie == 0 || cookie->cookie >> RAIM_COOKIE_BITS != 0 ||
        ((cookie->requires_encryption || cookie->needs_password || cookie->offers_aesgcm) &&
         !cookie->offers_encryption) ||
        length == 0 || length > RAIM_MAX_ARENA_BYTES ||
        size != at + length + (cookie->offers_encryption ? RAIM_KEY_BYTES : 0U) +
                    (cookie->needs_password ? RAIM_PASSWORD_SALT_BYTES : 0U) ||
        memchr(data + at, '\0', length) != NULL)
        return false;
    memcpy(cookie->arena, data + at, length);
    at += length;
    if (cookie->offers_encryption)
        memcpy(cookie->server_key, data + at, RAIM_KEY_BYTES);
    if (cookie->needs_password)
        memcpy(cookie->salt, data + at + RAIM_KEY_BYTES, RAIM_PASSWORD_SALT_BYTES);
    return true;
}

size_t raim_invite_write(const struct raim_invite *invite, uint8_t bytes[RAIM_INVITE_BYTES])
{
    raim_connectionless_write_head(RAIM_CONNECTIONLESS_INVITE, bytes);
    memcpy(bytes + HEAD_BYTES, invite->nonce, sizeof invite->nonce);
    memcpy(bytes + HEAD_BYTES + 8, invite->proof, sizeof invite->proof);
    return RAIM_INVITE_BYTES;
}

bool raim_invite_read(const uint8_t *data, size_t size, struct raim_invite *invite)
{
    if (size != RAIM_INVITE_BYTES)
        return false;
    memcpy(invite->nonce, data + HEAD_BYTES, sizeof invite->nonce);
    memcpy(invite->proof, data + HEAD_BYTES + 8, sizeof invite->proof);
    return true;
}

size_t raim_rejected_write(const struct raim_rejected *rejected, uint8_t bytes[RAIM_REJECTED_BYTES])
{
    const size_t length = strlen(rejected->text);
    assert(length <= RAIM_MAX_TEXT_BYTES);
    raim_connectionless_write_head(RAIM_CONNECTIONLESS_REJECTED, bytes);
    bytes[HEAD_BYTES] = rejected->reason;
    memcpy(bytes + HEAD_BYTES + 1, rejected->text, length);
    return HEAD_BYTES + 1 + length;
}

bool raim_rejected_read(const uint8_t *data, size_t size, struct raim_rejected *rejected)
{
    *rejected = (struct raim_rejected){0};
    if (size <= HEAD_BYTES || size > RAIM_REJECTED_BYTES)
        return false;
    const size_t length = size - HEAD_BYTES - 1;
    if (memchr(data + HEAD_BYTES + 1, '\0', length) != NULL)
        return false;
    rejected->reason = data[HEAD_BYTES];
    memcpy(rejected->text, data + HEAD_BYTES + 1, length);
    return true;
}
