// SPDX-License-Identifier: MIT
// Looks code points up by binary search.
#include "unicode.h"

#include <string.h>

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
