// SPDX-License-Identifier: MIT
// Random values of the wire, and messages as a hostile network alters them.
#pragma once

#include "chance.h"
#include "test.h"

static inline uint32_t chance_bits(uint32_t count)
{
    return (uint32_t)(raim_random_next(&chance) >> 32 >> (32 - count));
}

static inline bool chance_bool(void)
{
    return chance_bits(1) != 0;
}

// A number whose magnitude is uniform, so that small and extreme ones are frequent.
static inline uint32_t chance_magnitude(uint32_t max_bits)
{
    return chance_bits((uint32_t)chance_int(0, (int)max_bits));
}

// A signed number of uniform magnitude, from -2^(bits - 1) to 2^(bits - 1) - 1.
static inline int32_t chance_signed(uint32_t bits)
{
    const int32_t value = (int32_t)chance_magnitude(bits - 1);
    return chance_bool() ? -value - 1 : value;
}

// Random text of 0 to max bytes other than NUL.
static inline void chance_text(char *text, int max)
{
    const int length = chance_int(0, max);
    for (int i = 0; i < length; i++)
        text[i] = (char)chance_int(1, 255);
    text[length] = '\0';
}

// A reader under test: returns whether it accepts the message, and asserts that an accepted value
// survives writing and reading.
typedef bool hostile_reader(const uint8_t *bytes, size_t size);

// Reads from a block of exactly the size, so that ASan detects a read beyond.
static inline bool hostile_read(hostile_reader *read, const uint8_t *bytes, size_t size)
{
    uint8_t *block = malloc(size + (size == 0));
    assert_non_null(block);
    memcpy(block, bytes, size);
    const bool accepted = read(block, size);
    free(block);
    return accepted;
}

// Truncates, extends and damages a valid message, and makes random ones with its first bytes.
static inline void hostile_attack(hostile_reader *read, const uint8_t *message, size_t size)
{
    uint8_t bytes[2048];
    assert_true(size >= 1 && size < sizeof bytes);
    memcpy(bytes, message, size);
    assert_true(hostile_read(read, bytes, size));
    assert_false(hostile_read(read, bytes, (size_t)chance_int(0, (int)size - 1)));
    bytes[size] = (uint8_t)chance_magnitude(8);
    assert_false(hostile_read(read, bytes, size + 1));

    const int flips = chance_int(1, 4);
    for (int i = 0; i < flips; i++) {
        const int bit = chance_int(4, (int)size * 8 - 1);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    hostile_read(read, bytes, size);

    const size_t invented = (size_t)chance_int(1, 64);
    const size_t kept = (size_t)chance_int(0, (int)(size < invented ? size : invented));
    bytes[0] = message[0];
    for (size_t i = 1; i < invented; i++)
        bytes[i] = i < kept ? message[i] : (uint8_t)chance_bits(8);
    hostile_read(read, bytes, invented);
}
