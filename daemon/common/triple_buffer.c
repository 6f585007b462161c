// SPDX-License-Identifier: MIT
// Swaps buffer indices by one atomic exchange per side.
#include "triple_buffer.h"

#include <stdlib.h>

enum { BUFFER_INDEX = 3, BUFFER_FRESH = 4 };

bool triple_buffer_create(struct triple_buffer *buffer, size_t size)
{
    *buffer = (struct triple_buffer){.back = 0, .front = 2};
    atomic_init(&buffer->middle, 1);
    for (int i = 0; i < 3; i++)
        buffer->buffers[i] = calloc(1, size);
    return buffer->buffers[0] != NULL && buffer->buffers[1] != NULL && buffer->buffers[2] != NULL;
}

void triple_buffer_destroy(struct triple_buffer *buffer)
{
    for (int i = 0; i < 3; i++)
        free(buffer->buffers[i]);
}

void *triple_buffer_back(struct triple_buffer *buffer)
{
    return buffer->buffers[buffer->back];
}

void triple_buffer_publish(struct triple_buffer *buffer)
{
    // Release what was written; acquire what the reader has finished with.
    const unsigned old = atomic_exchange_explicit(&buffer->middle, buffer->back | BUFFER_FRESH,
                                                  memory_order_acq_rel);
    buffer->back = old & BUFFER_INDEX;
}

const void *triple_buffer_front(struct triple_buffer *buffer)
{
    if ((atomic_load_explicit(&buffer->middle, memory_order_relaxed) & BUFFER_FRESH) != 0) {
        const unsigned fresh =
            atomic_exchange_explicit(&buffer->middle, buffer->front, memory_order_acq_rel);
        buffer->front = fresh & BUFFER_INDEX;
    }
    return buffer->buffers[buffer->front];
}
