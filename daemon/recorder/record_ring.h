// SPDX-License-Identifier: MIT
// Lock-free ring buffer of records of any size, from one producer to one consumer. A record is
// there as a whole or not at all; neither side ever waits for the other, and nothing allocates
// after creation. Memory that was never reached is never touched. Thread rule: each of the two
// sides belongs to one thread.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_head {
    uint32_t size; // of the bytes that follow
    uint32_t kind; // the user's
    uint32_t tick; // the user's
};

struct record_ring {
    uint8_t *bytes;
    size_t capacity;          // a power of two
    _Atomic uint64_t written; // bytes ever, by the producer
    uint64_t known_read;      // what the producer last knew of `read`
    uint64_t next;            // where the record in the making continues
    uint8_t gap[64];          // the sides write to cache lines of their own
    _Atomic uint64_t read;    // bytes ever, by the consumer
};

// Allocates at least `capacity` bytes. Returns false when memory runs out. A ring that failed to be
// created, or that is all zero, may be destroyed.
bool record_ring_create(struct record_ring *ring, size_t capacity);
void record_ring_destroy(struct record_ring *ring);

// --- The producer's side ---

// Begins a record of head.size bytes, if it fits and leaves `reserve` bytes free. Returns false if
// not.
bool record_ring_begin(struct record_ring *ring, const struct record_head *head, size_t reserve);

// Adds bytes to the record; all of them together are head.size.
void record_ring_add(struct record_ring *ring, const void *bytes, size_t size);

// Hands the record over.
void record_ring_submit(struct record_ring *ring);

// Whether more than half of the ring is in use.
bool record_ring_is_half_full(struct record_ring *ring);

// --- The consumer's side ---

// Reads the head of the oldest record. Returns false if there is none.
bool record_ring_peek(const struct record_ring *ring, struct record_head *head);

// Copies the bytes of the oldest record, `size` of them from `offset` on.
void record_ring_copy(const struct record_ring *ring, size_t offset, void *bytes, size_t size);

// Releases the oldest record, whose head record_ring_peek has given.
void record_ring_release(struct record_ring *ring, const struct record_head *head);
