// SPDX-License-Identifier: MIT
// Numbers of variable length (LEB128): seven bits a byte, lowest first; the highest bit says that
// another byte follows. Small signed numbers are short in zigzag order: 0, -1, 1, -2, ...
// Thread rule: the functions are pure; any thread may call them.
#pragma once

#include <stdint.h>

#define RAIM_VARINT_BYTES 5 // of 32 bits

// Writes a number and returns the end of its bytes, of which there must be RAIM_VARINT_BYTES.
static inline uint8_t *raim_varint_write(uint8_t *bytes, uint32_t value)
{
    for (; value >= 0x80; value >>= 7)
        *bytes++ = (uint8_t)(value | 0x80);
    *bytes++ = (uint8_t)value;
    return bytes;
}

static inline uint32_t raim_zigzag(int32_t value)
{
    return (uint32_t)value << 1 ^ (uint32_t) - (value < 0);
}

static inline int32_t raim_unzigzag(uint32_t value)
{
    return (int32_t)(value >> 1 ^ (uint32_t) - (int32_t)(value & 1));
}
