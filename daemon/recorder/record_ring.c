// SPDX-License-Identifier: MIT
// A ring of bytes with a counter per side. Records may wrap around its end.
#include "record_ring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool record_ring_create(struct record_ring *ring, size_t capacity)
{
    *ring = (struct record_ring){.capacity = 1};
    while (ring->capacity < capacity)
        ring->capacity *= 2;
    ring->bytes = malloc(ring->capacity); // not calloc, which may write to all of it
    return ring->bytes != NULL;
}

void record_ring_destroy(struct record_ring *ring)
{
    free(ring->bytes);
    ring->bytes = NULL;
}

// --- The producer's side ---

bool record_ring_begin(struct record_ring *ring, const struct record_head *head, size_t reserve)
{
    const uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    const uint64_t end = written + sizeof *head + head->size;
    // The consumer's counter is in a cache line that it writes: it is read only if it matters.
    if (end + reserve - ring->known_read > ring->capacity)
        ring->known_read = atomic_load_explicit(&ring->read, memory_order_acquire);
    if (end + reserve - ring->known_read > ring->capacity)
        return false;
    ring->next = written;
    record_ring_add(ring, head, sizeof *head);
    return true;
}

void record_ring_add(struct record_ring *ring, const void *bytes, size_t size)
{
    const size_t offset = (size_t)ring->next & (ring->capacity - 1);
    const size_t first = size < ring->capacity - offset ? size : ring->capacity - offset;
    memcpy(ring->bytes + offset, bytes, first);
    memcpy(ring->bytes, (const uint8_t *)bytes + first, size - first);
    ring->next += size;
}

void record_ring_submit(struct record_ring *ring)
{
    // What was written becomes visible before its number does.
    atomic_store_explicit(&ring->written, ring->next, memory_order_release);
}

bool record_ring_is_half_full(struct record_ring *ring)
{
    const uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    if (written - ring->known_read > ring->capacity / 2)
        ring->known_read = atomic_load_explicit(&ring->read, memory_order_acquire);
    return written - ring->known_read > ring->capacity / 2;
}

// --- The consumer's side ---

static void copy_from(const struct record_ring *ring, uint64_t from, void *bytes, size_t size)
{
    const size_t offset = (size_t)from & (ring->capacity - 1);
    const size_t first = size < ring->capacity - offset ? size : ring->capacity - offset;
    memcpy(bytes, ring->bytes + offset, first);
    memcpy((uint8_t *)bytes + first, ring->bytes, size - first);
}

bool record_ring_peek(const struct record_ring *ring, struct record_head *head)
{
    const uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    if (atomic_load_explicit(&ring->written, memory_order_acquire) == read)
        return false;
    copy_from(ring, read, head, sizeof *head);
    return true;
}

void record_ring_copy(const struct record_ring *ring, size_t offset, void *bytes, size_t size)
{
    const uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    copy_from(ring, read + sizeof(struct record_head) + offset, bytes, size);
}

void record_ring_release(struct record_ring *ring, const struct record_head *head)
{
    const uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    atomic_store_explicit(&ring->read, read + sizeof *head + head->size, memory_order_release);
}
