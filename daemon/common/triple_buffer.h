// SPDX-License-Identifier: MIT
// Triple buffer: passes the newest value from one writing thread to one reading thread; neither
// ever waits. The writer fills the back buffer and the reader holds the front buffer; each swaps
// its own with the middle buffer.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct triple_buffer {
    void *buffers[3];
    _Atomic unsigned middle; // index of the middle buffer; with BUFFER_FRESH if unread
    unsigned back;           // the writer's
    unsigned front;          // the reader's
};

// Allocates three zeroed buffers of `size` bytes. False when memory runs out; destroy it then, too.
bool triple_buffer_create(struct triple_buffer *buffer, size_t size);
void triple_buffer_destroy(struct triple_buffer *buffer);

// The writer's side: fill the back buffer, then publish it. Its content is undefined afterwards.
void *triple_buffer_back(struct triple_buffer *buffer);
void triple_buffer_publish(struct triple_buffer *buffer);

// The reader's side: the newest published value, valid until the next call.
const void *triple_buffer_front(struct triple_buffer *buffer);
