// SPDX-License-Identifier: MIT
// Lock-free request and reply queue between two threads: a ring buffer with a single producer and a
// single consumer. The sender submits messages, and the owner handles them in order and writes each
// reply into the message itself. Neither side ever waits for the other; nothing allocates after
// creation.
// Thread rule: each of the two sides belongs to one thread.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mailbox {
    unsigned char *messages; // a message's index is its number modulo `capacity`
    size_t size;             // of a message
    uint32_t capacity;       // in messages; a power of two, so that numbers may wrap
    _Atomic uint32_t submitted;
    _Atomic uint32_t completed;
    uint32_t released; // used by the sender only
};

// Allocates `capacity` messages, a power of two, of `size` bytes. A message takes a slot until the
// sender has released its reply. False when memory runs out. A mailbox that failed to be created,
// or that is all zero, may be destroyed.
bool mailbox_create(struct mailbox *mailbox, uint32_t capacity, size_t size);
void mailbox_destroy(struct mailbox *mailbox);

// --- The sender's side ---

// The next free message, of undefined content, for the sender to write; NULL if the mailbox is
// full.
void *mailbox_reserve(struct mailbox *mailbox);

// Submits the message of mailbox_reserve to the owner.
void mailbox_submit(struct mailbox *mailbox);

// The oldest completed message, with its reply, or NULL; mailbox_release releases it.
const void *mailbox_completed(struct mailbox *mailbox);
void mailbox_release(struct mailbox *mailbox);

// --- The owner's side ---

// The oldest message that is not completed, or NULL. The owner writes its reply into it.
void *mailbox_peek(struct mailbox *mailbox);

// The message that was submitted `ahead` messages after that of mailbox_peek, or NULL.
void *mailbox_peek_ahead(struct mailbox *mailbox, uint32_t ahead);

// Completes the message of mailbox_peek and returns it to the sender.
void mailbox_complete(struct mailbox *mailbox);
