// SPDX-License-Identifier: MIT
// Decodes UTF-8 and looks code points up by binary search.
#include "unicode.h"

#include <string.h>

size_t raim_unicode_decode(const uint8_t *bytes, uint32_t *code_point)
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

bool raim_unicode_is_among(const struct raim_unicode_ranges *ranges, uint32_t code_point)
{
    size_t low = 0, high = ranges->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (ranges->rows[middle].last < code_point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ranges->count && code_point >= ranges->rows[low].first;
}

size_t raim_unicode_map(const struct raim_unicode_mappings *mappings, uint32_t code_point,
                        char target[RAIM_UNICODE_TARGET_BYTES])
{
    size_t low = 0, high = mappings->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (mappings->rows[middle].first <= code_point)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const struct raim_unicode_mapping *row = &mappings->rows[low - 1];
    const uint32_t offset = code_point - row->first;
    if (offset >= row->count)
        return 0;
    const char *end = memchr(row->target, '\0', sizeof row->target);
    const size_t size = end != NULL ? (size_t)(end - row->target) : sizeof row->target;
    memcpy(target, row->target, size);
    target[size - 1] = (char)(target[size - 1] + row->step * offset);
    return size;
}
