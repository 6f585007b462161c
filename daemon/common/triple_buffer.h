// SPDX-License-Identifier: MIT
// A buffer for the newest value of one writing thread, read by one other thread; neither ever
// waits. Three buffers: one that the writer fills, one that the reader holds, and one between them
// that each swaps with its own (a triple buffer, as renderers use).
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct triple_buffer {
    void *buffers[3];
    _Atomic unsigned middle; // index of the buffer between, with BUFFER_FRESH where unread
    unsigned back;           // the writer's
    unsigned front;          // the reader's
};

// Allocates three zeroed buffers; false when memory runs out.
bool triple_buffer_create(struct triple_buffer *buffer, size_t size);
void triple_buffer_destroy(struct triple_buffer *buffer);

// The writer's: fill the buffer, then publish it; the next one is another.
void *triple_buffer_back(struct triple_buffer *buffer);
void triple_buffer_publish(struct triple_buffer *buffer);

// The reader's: the newest published value, valid until the next call.
const void *triple_buffer_front(struct triple_buffer *buffer);
