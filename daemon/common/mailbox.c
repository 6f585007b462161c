// SPDX-License-Identifier: MIT
// Letters in a ring, and how far each side has come with them.
#include "mailbox.h"

#include <assert.h>
#include <stdlib.h>

static void *letter_at(const struct mailbox *mailbox, uint32_t number)
{
    return mailbox->letters + (number & (mailbox->capacity - 1)) * mailbox->size;
}

bool mailbox_create(struct mailbox *mailbox, uint32_t capacity, size_t size)
{
    assert(capacity > 0 && (capacity & (capacity - 1)) == 0);
    *mailbox = (struct mailbox){
        .letters = calloc(capacity, size),
        .size = size,
        .capacity = capacity,
    };
    return mailbox->letters != NULL;
}

void mailbox_destroy(struct mailbox *mailbox)
{
    free(mailbox->letters);
    mailbox->letters = NULL;
}

void *mailbox_blank(struct mailbox *mailbox)
{
    const uint32_t posted = atomic_load_explicit(&mailbox->posted, memory_order_relaxed);
    return posted - mailbox->collected < mailbox->capacity ? letter_at(mailbox, posted) : NULL;
}

void mailbox_post(struct mailbox *mailbox)
{
    const uint32_t posted = atomic_load_explicit(&mailbox->posted, memory_order_relaxed);
    assert(posted - mailbox->collected < mailbox->capacity);
    // What was written becomes visible before its number does.
    atomic_store_explicit(&mailbox->posted, posted + 1, memory_order_release);
}

const void *mailbox_answer(struct mailbox *mailbox)
{
    const uint32_t answered = atomic_load_explicit(&mailbox->answered, memory_order_acquire);
    return answered != mailbox->collected ? letter_at(mailbox, mailbox->collected) : NULL;
}

void mailbox_forget(struct mailbox *mailbox)
{
    assert(mailbox_answer(mailbox) != NULL);
    mailbox->collected++;
}

void *mailbox_open(struct mailbox *mailbox)
{
    const uint32_t answered = atomic_load_explicit(&mailbox->answered, memory_order_relaxed);
    const uint32_t posted = atomic_load_explicit(&mailbox->posted, memory_order_acquire);
    return posted != answered ? letter_at(mailbox, answered) : NULL;
}

void mailbox_reply(struct mailbox *mailbox)
{
    const uint32_t answered = atomic_load_explicit(&mailbox->answered, memory_order_relaxed);
    assert(mailbox_open(mailbox) != NULL);
    atomic_store_explicit(&mailbox->answered, answered + 1, memory_order_release);
}
