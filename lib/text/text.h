// SPDX-License-Identifier: MIT
// String building without <stdio.h>: each function appends at `end`, adds the closing NUL and
// returns the new end. The caller's buffer must be large enough.
#pragma once

#include <stdint.h>
#include <string.h>

static inline char *raim_text_append(char *end, const char *words)
{
    const size_t length = strlen(words);
    memcpy(end, words, length + 1);
    return end + length;
}

static inline char *raim_text_append_number(char *end, uint32_t number)
{
    char digits[11];
    char *first = &digits[sizeof digits - 1];
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return raim_text_append(end, first);
}
