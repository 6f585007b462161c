// SPDX-License-Identifier: MIT
// Decodes and validates UTF-8, and strips what is invisible.
#include "utf8.h"

#include <string.h>

size_t raim_utf8_decode(const uint8_t *bytes, uint32_t *code_point)
{
    const uint8_t lead = bytes[0];
    const size_t length = lead < 0x80         ? 1
                          : lead >> 5 == 0x6  ? 2
                          : lead >> 4 == 0xE  ? 3
                          : lead >> 3 == 0x1E ? 4
                                              : 0;
    static const uint8_t lead_bits[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = lead & lead_bits[length];
    for (size_t i = 1; i < length; i++) {
        if (bytes[i] >> 6 != 0x2) // the closing NUL fails here, too
            return 0;
        value = value << 6 | (bytes[i] & 0x3F);
    }
    if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code_point = value;
    return length;
}

bool raim_utf8_is_valid(const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint8_t next[5] = {0}; // the longest sequence, closed by NUL
        const size_t left = size - at;
        memcpy(next, bytes + at, left < 4 ? left : 4);
        uint32_t code_point = 0;
        const size_t length = raim_utf8_decode(next, &code_point);
        if (length == 0 || code_point == 0)
            return false;
        at += length;
    }
    return true;
}

bool raim_utf8_is_invisible(uint32_t code_point)
{
    static const uint32_t ranges[][2] = {
        {0x0000, 0x001F},   {0x007F, 0x009F},   {0x00AD, 0x00AD},   {0x034F, 0x034F},
        {0x061C, 0x061C},   {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
        {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
        {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFC},
        {0x1BCA0, 0x1BCA3}, {0x1D159, 0x1D159}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
    };
    if (code_point >= 0x20 && code_point < 0x7F)
        return false;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code_point >= ranges[i][0] && code_point <= ranges[i][1])
            return true;
    return false;
}

void raim_utf8_strip(char *text)
{
    const uint8_t *from = (const uint8_t *)text;
    char *to = text;
    while (*from != 0) {
        uint32_t code_point = 0;
        const size_t length = raim_utf8_decode(from, &code_point);
        if (length > 0 && !raim_utf8_is_invisible(code_point)) {
            memmove(to, from, length);
            to += length;
        }
        from += length > 0 ? length : 1;
    }
    *to = '\0';
}
