// SPDX-License-Identifier: MIT
// A ring of messages with one counter per side: submitted, completed and released.
#include "mailbox.h"

#include <assert.h>
#include <stdlib.h>

static void *message_at(const struct mailbox *mailbox, uint32_t number)
{
    return mailbox->messages + (number & (mailbox->capacity - 1)) * mailbox->size;
}

bool mailbox_create(struct mailbox *mailbox, uint32_t capacity, size_t size)
{
    assert(capacity > 0 && (capacity & (capacity - 1)) == 0);
    *mailbox = (struct mailbox){
        .messages = calloc(capacity, size),
        .size = size,
        .capacity = capacity,
    };
    return mailbox->messages != NULL;
}

void mailbox_destroy(struct mailbox *mailbox)
{
    free(mailbox->messages);
    mailbox->messages = NULL;
}

void *mailbox_reserve(struct mailbox *mailbox)
{
    const uint32_t submitted = atomic_load_explicit(&mailbox->submitted, memory_order_relaxed);
    return submitted - mailbox->released < mailbox->capacity ? message_at(mailbox, submitted)
                                                             : NULL;
}

void mailbox_submit(struct mailbox *mailbox)
{
    const uint32_t submitted = atomic_load_explicit(&mailbox->submitted, memory_order_relaxed);
    assert(submitted - mailbox->released < mailbox->capacity);
    // What was written becomes visible before its number does.
    atomic_store_explicit(&mailbox->submitted, submitted + 1, memory_order_release);
}

const void *mailbox_completed(struct mailbox *mailbox)
{
    const uint32_t completed = atomic_load_explicit(&mailbox->completed, memory_order_acquire);
    return completed != mailbox->released ? message_at(mailbox, mailbox->released) : NULL;
}

void mailbox_release(struct mailbox *mailbox)
{
    assert(mailbox_completed(mailbox) != NULL);
    mailbox->released++;
}

void *mailbox_peek(struct mailbox *mailbox)
{
    return mailbox_peek_ahead(mailbox, 0);
}

void *mailbox_peek_ahead(struct mailbox *mailbox, uint32_t ahead)
{
    const uint32_t completed = atomic_load_explicit(&mailbox->completed, memory_order_relaxed);
    const uint32_t submitted = atomic_load_explicit(&mailbox->submitted, memory_order_acquire);
    return submitted - completed > ahead ? message_at(mailbox, completed + ahead) : NULL;
}

void mailbox_complete(struct mailbox *mailbox)
{
    const uint32_t completed = atomic_load_explicit(&mailbox->completed, memory_order_relaxed);
    assert(mailbox_peek(mailbox) != NULL);
    atomic_store_explicit(&mailbox->completed, completed + 1, memory_order_release);
}
