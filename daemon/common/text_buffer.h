// SPDX-License-Identifier: MIT
// A text that grows. Unlike a stream of open_memstream(3), whose error flag glibc leaves alone when
// memory runs out, it tells so at the end: after the first failure nothing is added.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Zeroed: empty.
struct text_buffer {
    char *text;  // owned; NULL before the first byte, else with a closing NUL
    size_t size; // bytes before that NUL
    size_t capacity;
    bool no_memory;
};

void text_buffer_add(struct text_buffer *buffer, const char *bytes, size_t size);

__attribute__((format(printf, 2, 3))) void text_buffer_print(struct text_buffer *buffer,
                                                             const char *format, ...);

// Hands over the text, which may hold NULs, for the caller to free, and empties the buffer. NULL
// when memory ran out.
char *text_buffer_take(struct text_buffer *buffer);
