// SPDX-License-Identifier: MIT
// Judges texts of files: UTF-8 (RFC 3629) without a NUL, so that a text can be printed, and be a
// string of C and of JSON. It may hold any other character.
// Thread rule: the functions are pure; any thread may call them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns the length of the character that begins at `bytes`, of which there are `left`; 0: there
// is none. The table of section 4 of the RFC: the second byte's range depends on the first.
static inline size_t raim_utf8_length(const uint8_t *bytes, size_t left)
{
    const uint8_t first = bytes[0];
    if (first < 0x80)
        return first != 0;
    const size_t length = first < 0xC2   ? 0
                          : first < 0xE0 ? 2
                          : first < 0xF0 ? 3
                          : first < 0xF5 ? 4
                                         : 0;
    if (length == 0 || length > left)
        return 0;
    const uint8_t least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const uint8_t most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (bytes[1] < least || bytes[1] > most)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (bytes[i] < 0x80 || bytes[i] > 0xBF)
            return 0;
    return length;
}

static inline bool raim_utf8_is_valid(const uint8_t *bytes, size_t size)
{
    for (size_t at = 0, length; at < size; at += length) {
        length = raim_utf8_length(bytes + at, size - at);
        if (length == 0)
            return false;
    }
    return true;
}
