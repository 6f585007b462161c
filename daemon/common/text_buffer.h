// SPDX-License-Identifier: MIT
// A growing text buffer with a sticky error: after the first failed allocation nothing is added,
// and text_buffer_take returns NULL. open_memstream(3) is no alternative, because glibc does not
// set the stream's error flag when memory runs out.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// All zero: empty.
struct text_buffer {
    char *text;  // owned; NULL before the first byte, else with a closing NUL
    size_t size; // bytes before that NUL
    size_t capacity;
    bool no_memory;
};

// Appends bytes, which may include NULs.
void text_buffer_add(struct text_buffer *buffer, const char *bytes, size_t size);

__attribute__((format(printf, 2, 3))) void text_buffer_print(struct text_buffer *buffer,
                                                             const char *format, ...);

// Returns the text, which the caller frees, and empties the buffer. NULL if memory ran out.
char *text_buffer_take(struct text_buffer *buffer);
