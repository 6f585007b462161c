// SPDX-License-Identifier: MIT
// Validates and cleans what people write.
#include "name.h"

// Decodes one code point; returns its length in bytes, or 0 where RFC 3629 forbids what stands
// there: overlong forms, surrogates, beyond U+10FFFF, a cut sequence.
static size_t decode(const uint8_t *bytes, uint32_t *code_point)
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
        if (bytes[i] >> 6 != 0x2) // the closing NUL is no continuation either
            return 0;
        value = value << 6 | (bytes[i] & 0x3F);
    }
    if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code_point = value;
    return length;
}

struct range {
    uint32_t first, last;
};

static bool is_among(uint32_t c, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return true;
    return false;
}

static bool is_stripped(uint32_t c)
{
    // Controls, separators of lines, annotations, and Unicode's Default_Ignorable_Code_Point:
    // whatever shows nothing or turns the direction of what stands around it.
    static const struct range ranges[] = {
        {0x0000, 0x001F},   {0x007F, 0x009F},   {0x00AD, 0x00AD},   {0x034F, 0x034F},
        {0x061C, 0x061C},   {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
        {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
        {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
        {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
    };
    return is_among(c, ranges, sizeof ranges / sizeof ranges[0]);
}

static bool is_space(uint32_t c)
{
    // Unicode's Space_Separator and the blank Braille pattern.
    static const struct range ranges[] = {
        {0x0020, 0x0020}, {0x00A0, 0x00A0}, {0x1680, 0x1680}, {0x2000, 0x200A},
        {0x202F, 0x202F}, {0x205F, 0x205F}, {0x2800, 0x2800}, {0x3000, 0x3000},
    };
    return is_among(c, ranges, sizeof ranges / sizeof ranges[0]);
}

bool raim_text_clean(const char *text, char *cleaned, uint32_t max)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t size = 0, visible = 0;
    while (*bytes != 0) {
        uint32_t code_point = 0;
        const size_t length = decode(bytes, &code_point);
        if (length == 0)
            return false;
        const bool leading_space = size == 0 && is_space(code_point);
        if (!is_stripped(code_point) && !leading_space) {
            if (size + length > max)
                return false;
            memcpy(cleaned + size, bytes, length);
            size += length;
            visible = is_space(code_point) ? visible : size;
        }
        bytes += length;
    }
    cleaned[visible] = '\0';
    return visible > 0;
}

bool raim_name_clean(const char *name, char cleaned[RAIM_MAX_NAME_BYTES + 1])
{
    return raim_text_clean(name, cleaned, RAIM_MAX_NAME_BYTES);
}
