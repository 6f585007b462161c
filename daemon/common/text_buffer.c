// SPDX-License-Identifier: MIT
// Doubles the buffer's capacity when it is full.
#include "text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 256 };

// Makes room for `size` more bytes and a NUL.
static bool make_room(struct text_buffer *buffer, size_t size)
{
    if (buffer->no_memory)
        return false;
    size_t capacity = buffer->capacity == 0 ? FIRST_BYTES : buffer->capacity;
    while (capacity <= buffer->size + size)
        capacity *= 2;
    if (capacity == buffer->capacity)
        return true;
    char *longer = realloc(buffer->text, capacity);
    buffer->no_memory = longer == NULL;
    if (longer == NULL)
        return false;
    buffer->text = longer;
    buffer->capacity = capacity;
    return true;
}

void text_buffer_add(struct text_buffer *buffer, const char *bytes, size_t size)
{
    if (!make_room(buffer, size))
        return;
    memcpy(buffer->text + buffer->size, bytes, size);
    buffer->size += size;
    buffer->text[buffer->size] = '\0';
}

void text_buffer_print(struct text_buffer *buffer, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size >= 0 && make_room(buffer, (size_t)size)) {
        vsnprintf(buffer->text + buffer->size, (size_t)size + 1, format, again);
        buffer->size += (size_t)size;
    }
    va_end(again);
}

char *text_buffer_take(struct text_buffer *buffer)
{
    text_buffer_add(buffer, "", 0);
    char *text = buffer->text;
    if (buffer->no_memory) {
        free(text);
        text = NULL;
    }
    *buffer = (struct text_buffer){0};
    return text;
}
