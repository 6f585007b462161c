// SPDX-License-Identifier: MIT
// Validates and cleans names.
#include "name.h"

// Decodes one code point; returns its length in bytes, or 0 where RFC 3629 forbids what stands
// there: overlong forms, surrogates, beyond U+10FFFF, a cut sequence.
static size_t decode(const uint8_t *bytes, uint32_t *code_point)
{
    const uint8_t lead = bytes[0];
    const size_t length = lead < 0x80 ? 1
                          : lead >> 5 == 0x6 ? 2
                          : lead >> 4 == 0xE ? 3
                          : lead >> 3 == 0x1E ? 4 : 0;
    static const uint8_t lead_bits[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = lead & lead_bits[length];
    for (size_t i = 1; i < length; i++) {
        if (bytes[i] >> 6 != 0x2) // the closing NUL is no continuation either
            return 0;
        value = value << 6 | (bytes[i] & 0x3F);
    }
    if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code_point = value;
    return length;
}

static bool is_stripped(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {0x0000, 0x001F}, {0x007F, 0x009F}, // controls
        {0x00AD, 0x00AD},                   // soft hyphen
        {0x061C, 0x061C}, {0x200B, 0x200F}, // zero width and direction marks
        {0x2028, 0x202E}, {0x2060, 0x206F}, // separators, embeddings, isolates
        {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, // byte order mark, annotations
        {0xE0000, 0xE007F},                 // tags
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

bool raim_name_clean(const char *name, char cleaned[RAIM_MAX_NAME_BYTES + 1])
{
    const uint8_t *bytes = (const uint8_t *)name;
    size_t size = 0, visible = 0;
    while (*bytes != 0) {
        uint32_t code_point = 0;
        const size_t length = decode(bytes, &code_point);
        if (length == 0 || size + length > RAIM_MAX_NAME_BYTES)
            return false;
        const bool leading_space = code_point == ' ' && size == 0;
        if (!is_stripped(code_point) && !leading_space) {
            memcpy(cleaned + size, bytes, length);
            size += length;
            visible = code_point == ' ' ? visible : size;
        }
        bytes += length;
    }
    cleaned[visible] = '\0';
    return visible > 0;
}
