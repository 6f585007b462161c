// SPDX-License-Identifier: MIT
// A box for the newest value of one writing thread, read by one other thread; neither ever waits.
// Three buffers: one that the writer fills, one that the reader holds, and one between them that
// each swaps with its own (a triple buffer, as renderers use).
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct status_box {
    void *buffers[3];
    _Atomic unsigned middle; // index of the buffer between, with BOX_FRESH where unread
    unsigned back;           // the writer's
    unsigned front;          // the reader's
};

// Allocates three zeroed buffers; false when memory runs out.
bool status_box_create(struct status_box *box, size_t size);
void status_box_destroy(struct status_box *box);

// The writer's: fill the buffer, then publish it; the next one is another.
void *status_box_back(struct status_box *box);
void status_box_publish(struct status_box *box);

// The reader's: the newest published value, valid until the next call.
const void *status_box_front(struct status_box *box);
