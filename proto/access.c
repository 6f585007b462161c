// SPDX-License-Identifier: MIT
// Writes and reads access tokens without their signature.
#include "access.h"

#include "message.h"

#include <assert.h>
#include <string.h>

// Domain separation: the magic distinguishes signatures of tokens from any others by the same key.
static const uint8_t magic[] = {'R', 'A', 'I', 'M', RAIM_ACCESS_FORM};

enum {
    HEAD_BYTES = sizeof magic + RAIM_ACCESS_KEY_ID_BYTES + 2 * 8 + RAIM_ACCESS_NONCE_BYTES,
    LENGTHS = 3,
};

static_assert(HEAD_BYTES + LENGTHS + RAIM_MAX_ARENA_BYTES + RAIM_MAX_NAME_BYTES + RAIM_KEY_BYTES +
                      RAIM_ACCESS_SIGNATURE_BYTES <=
                  RAIM_ACCESS_BYTES,
              "the longest token fits");

static size_t write_le64(uint8_t *bytes, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    return 8;
}

static uint64_t read_le64(const uint8_t *bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

static size_t write_bytes(uint8_t *bytes, const uint8_t *from, size_t size)
{
    memcpy(bytes, from, size);
    return size;
}

static size_t write_field(uint8_t *bytes, const void *field, size_t size)
{
    bytes[0] = (uint8_t)size;
    memcpy(bytes + 1, field, size);
    return 1 + size;
}

size_t raim_access_write(const struct raim_access *access, uint8_t bytes[RAIM_ACCESS_BYTES])
{
    assert(memchr(access->arena, '\0', sizeof access->arena) != NULL);
    assert(memchr(access->name, '\0', sizeof access->name) != NULL);
    size_t at = 0;
    at += write_bytes(bytes + at, magic, sizeof magic);
    at += write_bytes(bytes + at, access->key_id, sizeof access->key_id);
    at += write_le64(bytes + at, access->not_before);
    at += write_le64(bytes + at, access->expiry);
    at += write_bytes(bytes + at, access->nonce, sizeof access->nonce);
    at += write_field(bytes + at, access->arena, strlen(access->arena));
    at += write_field(bytes + at, access->name, strlen(access->name));
    at += write_field(bytes + at, access->key, access->has_key ? sizeof access->key : 0);
    return at;
}

// The length of the field at `at`; a value above `most` when the length is out of range or the
// field does not end within the first `end` bytes.
static size_t read_length(const uint8_t *bytes, size_t at, size_t end, size_t most)
{
    return at < end && bytes[at] <= most && bytes[at] < end - at ? bytes[at] : most + 1;
}

// Reads a text into memory of `capacity` zero bytes; false when it is malformed.
static bool read_text(const uint8_t *bytes, size_t *at, size_t end, char *text, size_t capacity)
{
    const size_t length = read_length(bytes, *at, end, capacity - 1);
    if (length >= capacity || memchr(bytes + *at + 1, '\0', length) != NULL)
        return false;
    memcpy(text, bytes + *at + 1, length);
    *at += 1 + length;
    return true;
}

size_t raim_access_read(const uint8_t *bytes, size_t size, struct raim_access *access)
{
    *access = (struct raim_access){0};
    if (size < HEAD_BYTES + LENGTHS + RAIM_ACCESS_SIGNATURE_BYTES ||
        memcmp(bytes, magic, sizeof magic) != 0)
        return 0;
    const size_t end = size - RAIM_ACCESS_SIGNATURE_BYTES;
    size_t at = sizeof magic;
    memcpy(access->key_id, bytes + at, sizeof access->key_id);
    at += sizeof access->key_id;
    access->not_before = read_le64(bytes + at);
    access->expiry = read_le64(bytes + at + 8);
    at += 16;
    memcpy(access->nonce, bytes + at, sizeof access->nonce);
    at += sizeof access->nonce;
    if (!read_text(bytes, &at, end, access->arena, sizeof access->arena) ||
        !read_text(bytes, &at, end, access->name, sizeof access->name))
        return 0;
    const size_t key_size = read_length(bytes, at, end, RAIM_KEY_BYTES);
    if ((key_size != 0 && key_size != RAIM_KEY_BYTES) || at + 1 + key_size != end)
        return 0;
    access->has_key = key_size != 0;
    memcpy(access->key, bytes + at + 1, key_size);
    return access->arena[0] != '\0' ? end : 0;
}
