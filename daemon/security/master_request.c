// SPDX-License-Identifier: MIT
// Compares the fixed part of a getinfo first, so that anything else costs one comparison.
#include "master_request.h"

#include <string.h>

static const char head[] = "\xFF\xFF\xFF\xFFgetinfo ";

bool master_request_read(const uint8_t *data, size_t size, char challenge[MASTER_CHALLENGE_BYTES])
{
    const size_t head_size = sizeof head - 1;
    if (size <= head_size || memcmp(data, head, head_size) != 0)
        return false;
    if (data[size - 1] == '\n' || data[size - 1] == '\0')
        size--;
    const size_t length = size - head_size;
    if (length == 0 || length >= MASTER_CHALLENGE_BYTES)
        return false;
    for (size_t i = 0; i < length; i++) {
        const char byte = (char)data[head_size + i];
        if (byte <= ' ' || byte >= 0x7F || strchr("\\/;\"%", byte) != NULL)
            return false;
        challenge[i] = byte;
    }
    challenge[length] = '\0';
    return true;
}
