// SPDX-License-Identifier: MIT
// Hands the newest value from one thread to another.
#include "triple_buffer.h"

#include <stdlib.h>

enum { BOX_INDEX = 3, BOX_FRESH = 4 };

bool triple_buffer_create(struct triple_buffer *box, size_t size)
{
    *box = (struct triple_buffer){.back = 0, .front = 2};
    atomic_init(&box->middle, 1);
    for (int i = 0; i < 3; i++)
        box->buffers[i] = calloc(1, size);
    return box->buffers[0] != NULL && box->buffers[1] != NULL && box->buffers[2] != NULL;
}

void triple_buffer_destroy(struct triple_buffer *box)
{
    for (int i = 0; i < 3; i++)
        free(box->buffers[i]);
}

void *triple_buffer_back(struct triple_buffer *box)
{
    return box->buffers[box->back];
}

void triple_buffer_publish(struct triple_buffer *box)
{
    // Release what was written; acquire what the reader has finished with.
    const unsigned old =
        atomic_exchange_explicit(&box->middle, box->back | BOX_FRESH, memory_order_acq_rel);
    box->back = old & BOX_INDEX;
}

const void *triple_buffer_front(struct triple_buffer *box)
{
    if ((atomic_load_explicit(&box->middle, memory_order_relaxed) & BOX_FRESH) != 0) {
        const unsigned fresh =
            atomic_exchange_explicit(&box->middle, box->front, memory_order_acq_rel);
        box->front = fresh & BOX_INDEX;
    }
    return box->buffers[box->front];
}
