// SPDX-License-Identifier: MIT
// A worker: one thread with one epoll loop that owns some arenas. Everything else about an arena
// happens in that thread; the main thread only starts and stops it, and gives it arenas or asks for
// them back.
#pragma once

#include "arena.h"

#include <stddef.h>
#include <stdint.h>

struct worker;

// Starts a thread named raimd-worker-`number` that runs the arenas, staggered over a tick. Borrows
// the arenas. Returns NULL and writes a reason into `error`.
struct worker *worker_start(int number, struct arena *const *arenas, int arena_count, char *error,
                            size_t capacity);

// Hands over an arena, which is borrowed until the worker has let it go; its first tick comes
// within one of its ticks. False while so much waits to be told to the worker that it does not
// listen.
bool worker_add(struct worker *worker, struct arena *arena);

// Asks for an arena back, once every client there knows that it ends or `timeout_ms` have passed:
// arena_is_released tells. Meanwhile the others are played on. False as above.
bool worker_remove(struct worker *worker, struct arena *arena, uint32_t timeout_ms);

// Asks the worker to say goodbye to every client, within `timeout_ms`, and to end.
void worker_stop(struct worker *worker, uint32_t timeout_ms);

// How long it has been at work and not waiting so far, in nanoseconds. Any thread.
uint64_t worker_busy_ns(const struct worker *worker);

// Waits for the thread's end and frees the worker.
void worker_join(struct worker *worker);
