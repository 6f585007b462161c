// SPDX-License-Identifier: MIT
// Writes and reads what is around encrypted datagrams.
#include "seal.h"

#include <assert.h>
#include <string.h>

enum { WINDOW = 64, HEAD_BYTES = RAIM_SEAL_ANSWER_BYTES - RAIM_SEAL_NONCE_BYTES };

static const uint8_t head[HEAD_BYTES] = {
    0xFF, 0xFF, 0xFF, 0xFF, 'R', 'A', 'I', 'M', RAIM_KNOCK_SEALED, RAIM_KNOCK_FORM,
};

const uint8_t raim_seal_label[RAIM_KEY_BYTES] = "raim sealed arena 1";

static void write_u32(uint8_t *bytes, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

size_t raim_seal_write_opening(const struct raim_seal_opening *opening,
                               uint8_t bytes[RAIM_SEAL_OPENING_BYTES])
{
    memcpy(bytes, head, HEAD_BYTES);
    write_u32(bytes + HEAD_BYTES, opening->ticket);
    memcpy(bytes + HEAD_BYTES + 4, opening->hint, RAIM_SEAL_HINT_BYTES);
    memcpy(bytes + HEAD_BYTES + 4 + RAIM_SEAL_HINT_BYTES, opening->key, RAIM_KEY_BYTES);
    return RAIM_SEAL_OPENING_BYTES;
}

bool raim_seal_read_opening(const uint8_t *data, size_t size, struct raim_seal_opening *opening)
{
    if (size < RAIM_SEAL_OPENING_BYTES)
        return false;
    opening->ticket = 0;
    for (int i = 0; i < 4; i++)
        opening->ticket |= (uint32_t)data[HEAD_BYTES + i] << 8 * i;
    memcpy(opening->hint, data + HEAD_BYTES + 4, RAIM_SEAL_HINT_BYTES);
    memcpy(opening->key, data + HEAD_BYTES + 4 + RAIM_SEAL_HINT_BYTES, RAIM_KEY_BYTES);
    return true;
}

size_t raim_seal_write_answer(const uint8_t nonce[RAIM_SEAL_NONCE_BYTES],
                              uint8_t bytes[RAIM_SEAL_ANSWER_BYTES])
{
    memcpy(bytes, head, HEAD_BYTES);
    memcpy(bytes + HEAD_BYTES, nonce, RAIM_SEAL_NONCE_BYTES);
    return RAIM_SEAL_ANSWER_BYTES;
}

bool raim_seal_read_answer(const uint8_t *data, size_t size, uint8_t nonce[RAIM_SEAL_NONCE_BYTES])
{
    if (size < RAIM_SEAL_ANSWER_BYTES)
        return false;
    memcpy(nonce, data + HEAD_BYTES, RAIM_SEAL_NONCE_BYTES);
    return true;
}

void raim_seal_write_transcript(const struct raim_seal_transcript *transcript,
                                uint8_t bytes[RAIM_SEAL_TRANSCRIPT_BYTES])
{
    const uint8_t *const keys[] = {transcript->of_ephemerals, transcript->of_identity,
                                   transcript->client, transcript->ephemeral, transcript->identity};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        memcpy(bytes + i * RAIM_KEY_BYTES, keys[i], RAIM_KEY_BYTES);
    write_u32(bytes + sizeof keys / sizeof *keys * RAIM_KEY_BYTES, transcript->ticket);
}

void raim_seal_write_number(uint64_t number, uint8_t bytes[RAIM_SEAL_NUMBER_BYTES])
{
    assert(number >> 62 == 0);
    for (int i = 0; i < RAIM_SEAL_NUMBER_BYTES; i++)
        bytes[i] = (uint8_t)(number >> 8 * (RAIM_SEAL_NUMBER_BYTES - 1 - i));
}

bool raim_seal_read_number(const uint8_t *data, size_t size, uint64_t *number)
{
    if (size <= RAIM_SEAL_BYTES)
        return false;
    *number = 0;
    for (int i = 0; i < RAIM_SEAL_NUMBER_BYTES; i++)
        *number = *number << 8 | data[i];
    return *number >> 62 == 0;
}

bool raim_seal_is_new(const struct raim_seal_window *window, uint64_t number)
{
    if (number >= window->next)
        return true;
    const uint64_t age = window->next - 1 - number;
    return age < WINDOW && (window->taken >> age & 1) == 0;
}

void raim_seal_take(struct raim_seal_window *window, uint64_t number)
{
    assert(raim_seal_is_new(window, number));
    if (number >= window->next) {
        const uint64_t step = number - window->next + 1;
        window->taken = step < WINDOW ? window->taken << step : 0;
        window->next = number + 1;
    }
    window->taken |= UINT64_C(1) << (window->next - 1 - number);
}
