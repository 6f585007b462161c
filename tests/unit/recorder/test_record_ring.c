// SPDX-License-Identifier: MIT
// The ring of records between two threads that use it at the same time.
#define _GNU_SOURCE
#include "record_ring.h"

#include "chance.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>

enum { CAPACITY = 4096, RECORDS = 50000, LARGEST = 1500 };

static bool put(struct record_ring *ring, uint32_t tick, uint32_t size, size_t reserve)
{
    static const uint8_t bytes[CAPACITY] = {1, 2, 3};
    if (!record_ring_begin(ring, &(struct record_head){size, 7, tick}, reserve))
        return false;
    record_ring_add(ring, bytes, size);
    record_ring_submit(ring);
    return true;
}

TEST(records_come_in_order_and_whole)
{
    struct record_ring ring;
    struct record_head head;
    uint8_t bytes[3];
    assert_true(record_ring_create(&ring, CAPACITY));
    assert_false(record_ring_peek(&ring, &head));
    assert_true(record_ring_begin(&ring, &(struct record_head){3, 1, 5}, 0));
    record_ring_add(&ring, "a", 1);
    assert_false(record_ring_peek(&ring, &head)); // it is not whole yet
    record_ring_add(&ring, "bc", 2);
    record_ring_submit(&ring);
    assert_true(put(&ring, 6, 0, 0));
    assert_true(record_ring_peek(&ring, &head));
    assert_int_equal(head.size, 3);
    assert_int_equal(head.kind, 1);
    assert_int_equal(head.tick, 5);
    record_ring_copy(&ring, 0, bytes, 3);
    assert_memory_equal(bytes, "abc", 3);
    record_ring_copy(&ring, 2, bytes, 1);
    assert_int_equal(bytes[0], 'c');
    record_ring_release(&ring, &head);
    assert_true(record_ring_peek(&ring, &head));
    assert_int_equal(head.tick, 6);
    record_ring_release(&ring, &head);
    assert_false(record_ring_peek(&ring, &head));
    record_ring_destroy(&ring);
}

TEST(a_full_ring_rejects_a_record_and_keeps_its_reserve)
{
    const size_t head_size = sizeof(struct record_head);
    struct record_ring ring;
    struct record_head head;
    assert_true(record_ring_create(&ring, CAPACITY));
    assert_false(put(&ring, 0, CAPACITY, 0));
    assert_false(put(&ring, 0, CAPACITY - (uint32_t)head_size, 1));
    assert_true(put(&ring, 0, CAPACITY - 2 * (uint32_t)head_size, head_size));
    assert_false(put(&ring, 1, 0, head_size));
    assert_true(put(&ring, 2, 0, 0)); // takes the reserve
    assert_false(put(&ring, 3, 0, 0));
    assert_true(record_ring_peek(&ring, &head));
    record_ring_release(&ring, &head);
    assert_true(put(&ring, 3, 100, head_size));
    record_ring_destroy(&ring);
}

static void *read_all(void *argument)
{
    struct record_ring *ring = argument;
    struct record_head head;
    uint8_t bytes[LARGEST];
    uint64_t wrong = 0;
    for (uint32_t tick = 0; tick < RECORDS;) {
        if (!record_ring_peek(ring, &head)) {
            sched_yield();
            continue;
        }
        wrong += head.tick != tick || head.size > LARGEST;
        record_ring_copy(ring, 0, bytes, head.size);
        for (uint32_t i = 0; i < head.size; i++)
            wrong += bytes[i] != (uint8_t)(tick + i);
        record_ring_release(ring, &head);
        tick++;
    }
    return (void *)(uintptr_t)wrong;
}

TEST(two_threads_use_it_at_the_same_time)
{
    struct record_ring ring;
    uint8_t bytes[LARGEST];
    pthread_t reader;
    void *wrong;
    assert_true(record_ring_create(&ring, CAPACITY));
    assert_int_equal(pthread_create(&reader, NULL, read_all, &ring), 0);
    for (uint32_t tick = 0; tick < RECORDS;) {
        const uint32_t size = (uint32_t)chance_int(0, tick % 64 == 0 ? LARGEST : 40);
        if (!record_ring_begin(&ring, &(struct record_head){size, 0, tick}, 0)) {
            sched_yield();
            continue;
        }
        for (uint32_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(tick + i);
        const uint32_t half = size / 2;
        record_ring_add(&ring, bytes, half);
        record_ring_add(&ring, bytes + half, size - half);
        record_ring_submit(&ring);
        tick++;
    }
    assert_int_equal(pthread_join(reader, &wrong), 0);
    assert_int_equal((uintptr_t)wrong, 0);
    record_ring_destroy(&ring);
}
