// SPDX-License-Identifier: MIT
// Values of whole bytes, little-endian, in the head and the index of a recording, by proto/bits.h.
// Thread rule: the functions keep no state; any thread may call them.
#pragma once

#include "bits.h"
#include "utf8.h"

static inline void raim_write_u64(raim_writer *writer, uint64_t value)
{
    raim_write_bits(writer, (uint32_t)value, 32);
    raim_write_bits(writer, (uint32_t)(value >> 32), 32);
}

static inline uint64_t raim_read_u64(raim_reader *reader)
{
    const uint64_t low = raim_read_bits(reader, 32);
    return low | (uint64_t)raim_read_bits(reader, 32) << 32;
}

// A text of at most 255 bytes, after its length in a byte.
static inline void raim_write_short_text(raim_writer *writer, const char *text)
{
    const size_t length = strlen(text);
    raim_write_bits(writer, (uint32_t)length, 8);
    for (size_t i = 0; i < length; i++)
        raim_write_bits(writer, (uint8_t)text[i], 8);
}

// Reads at most `max` bytes of UTF-8 into `text`, which needs one more.
static inline void raim_read_short_text(raim_reader *reader, char *text, uint32_t max)
{
    const uint32_t length = raim_read_bits(reader, 8);
    reader->failed = reader->failed || length > max;
    for (uint32_t i = 0; i < length && !reader->failed; i++)
        text[i] = (char)raim_read_bits(reader, 8);
    reader->failed = reader->failed || !raim_utf8_is_valid((const uint8_t *)text, length);
    text[reader->failed ? 0 : length] = '\0';
}
