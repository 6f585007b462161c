// SPDX-License-Identifier: MIT
// A mailbox between two threads: one posts messages, the other opens them in order and answers each
// in its place. Neither ever waits for the other; nothing allocates after creation.
// Thread rule: each of the two sides belongs to one thread.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mailbox {
    unsigned char *messages; // by number modulo `capacity`
    size_t size;             // of a message
    uint32_t capacity;       // a power of two, so that numbers may wrap
    _Atomic uint32_t submitted;
    _Atomic uint32_t completed;
    uint32_t released; // the sender's own
};

// For up to `capacity` messages, a power of two, on their way there and back. False when memory
// runs out; the mailbox can be destroyed then, too, as can one that is all zero.
bool mailbox_create(struct mailbox *mailbox, uint32_t capacity, size_t size);
void mailbox_destroy(struct mailbox *mailbox);

// --- The sender's side ---

// The next message, of any content, for the sender to write; NULL while the mailbox is full.
void *mailbox_blank(struct mailbox *mailbox);

// Sends what was written into mailbox_blank.
void mailbox_post(struct mailbox *mailbox);

// The oldest message that came back, or NULL; it stays the oldest until mailbox_forget.
const void *mailbox_answer(struct mailbox *mailbox);
void mailbox_forget(struct mailbox *mailbox);

// --- The owner's side ---

// The oldest message that has no answer, or NULL; the owner may write into it.
void *mailbox_open(struct mailbox *mailbox);

// Sends it back.
void mailbox_reply(struct mailbox *mailbox);
