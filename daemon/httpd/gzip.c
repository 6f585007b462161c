// SPDX-License-Identifier: MIT
// Compresses by zlib, and reads Accept-Encoding.
#include "gzip.h"

#define ZLIB_CONST // what is compressed is not written to
#include <zlib.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WINDOW_BITS = 15, GZIP_FORMAT = 16, MEMORY_LEVEL = 8 };

char *gzip_text(const char *text, size_t bytes, size_t *packed_bytes)
{
    z_stream stream = {0};
    if (bytes > UINT_MAX / 2 ||
        deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS + GZIP_FORMAT, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    const uLong capacity = deflateBound(&stream, (uLong)bytes);
    char *packed = malloc(capacity);
    if (packed != NULL) {
        stream.next_in = (const Bytef *)text;
        stream.avail_in = (uInt)bytes;
        stream.next_out = (Bytef *)packed;
        stream.avail_out = (uInt)capacity;
        deflate(&stream, Z_FINISH); // the bound is enough to end in one call
        *packed_bytes = stream.total_out;
    }
    deflateEnd(&stream);
    return packed;
}

// Whether the parameters of a coding, as ";q=0.5", give it a weight of 0.
static bool is_refused(const char *parameters, const char *end)
{
    const char *weight = parameters + strspn(parameters, "; \t");
    if (weight + 2 > end || strncasecmp(weight, "q=", 2) != 0)
        return false;
    for (weight += 2; weight < end; weight++)
        if (*weight >= '1' && *weight <= '9')
            return false;
    return true;
}

bool gzip_is_accepted(const char *header)
{
    bool is_any_accepted = false;
    for (const char *item = header; item != NULL && *item != '\0';) {
        item += strspn(item, ", \t");
        const size_t name = strcspn(item, ",; \t");
        const char *end = item + strcspn(item, ",");
        const bool is_accepted = !is_refused(item + name, end);
        if (name == strlen("gzip") && strncasecmp(item, "gzip", name) == 0)
            return is_accepted;
        if (name == 1 && *item == '*')
            is_any_accepted = is_accepted;
        item = end;
    }
    return is_any_accepted;
}
