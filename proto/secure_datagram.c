// SPDX-License-Identifier: MIT
// Writes and reads the datagrams around the Noise messages of a handshake.
#include "secure_datagram.h"

#include <assert.h>
#include <string.h>

static const char label[] = "raimd secure 1";
static const uint32_t aesgcm_bit = UINT32_C(1) << RAIM_COOKIE_BITS; // of the cookie in INIT

static_assert(sizeof label - 1 + RAIM_COOKIE_BYTES == RAIM_PROLOGUE_BYTES, "a prologue fits");
static_assert(RAIM_RESPONSE_BYTES < RAIM_INIT_HEAD_BYTES + RAIM_NOISE_OVERHEAD_BYTES + 2,
              "an answer is smaller than its request");

void raim_init_write_head(uint32_t cookie, bool aesgcm, uint8_t bytes[RAIM_INIT_HEAD_BYTES])
{
    raim_connectionless_write_head(RAIM_CONNECTIONLESS_HANDSHAKE, bytes);
    cookie |= aesgcm ? aesgcm_bit : 0;
    for (int i = 0; i < 4; i++)
        bytes[RAIM_CONNECTIONLESS_HEAD_BYTES + i] = (uint8_t)(cookie >> 8 * i);
}

bool raim_init_read(const uint8_t *data, size_t size, struct raim_init *init)
{
    *init = (struct raim_init){0};
    if (size < RAIM_INIT_HEAD_BYTES + RAIM_NOISE_OVERHEAD_BYTES + 2 || size > RAIM_INIT_BYTES)
        return false;
    for (int i = 0; i < 4; i++)
        init->cookie |= (uint32_t)data[RAIM_CONNECTIONLESS_HEAD_BYTES + i] << 8 * i;
    init->aesgcm = (init->cookie & aesgcm_bit) != 0;
    init->cookie &= ~aesgcm_bit;
    init->message = data + RAIM_INIT_HEAD_BYTES;
    init->size = size - RAIM_INIT_HEAD_BYTES;
    return true;
}

const uint8_t *raim_response_read(const uint8_t *data, size_t size)
{
    return size == RAIM_RESPONSE_BYTES ? data + RAIM_CONNECTIONLESS_HEAD_BYTES : NULL;
}

size_t raim_prologue_write(const uint8_t *cookie, size_t size, uint8_t bytes[RAIM_PROLOGUE_BYTES])
{
    assert(size <= RAIM_COOKIE_BYTES);
    memcpy(bytes, label, sizeof label - 1);
    memcpy(bytes + sizeof label - 1, cookie, size);
    return sizeof label - 1 + size;
}
