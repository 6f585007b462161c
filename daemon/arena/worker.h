// SPDX-License-Identifier: MIT
// A worker: a thread with an epoll loop that owns and runs some arenas. The main thread starts and
// stops it, hands arenas to it and asks for them back.
// Thread rule: main thread only, unless a function says otherwise.
#pragma once

#include "arena.h"

#include <stddef.h>
#include <stdint.h>

struct worker;

// Starts a thread named raimd-worker-`number`. It runs the arenas with their ticks staggered over a
// tick period. Borrows the arenas. Returns NULL and writes a reason into `error`.
struct worker *worker_start(int number, struct arena *const *arenas, int arena_count, char *error,
                            size_t capacity);

// Hands an arena over. It is borrowed until the worker releases it; its first tick runs within one
// tick period. Returns false if the worker's mailbox is full.
bool worker_add(struct worker *worker, struct arena *arena);

// Asks the worker to end an arena. The worker releases it (see arena_is_released) once every client
// has disconnected or `timeout_ms` have passed; its other arenas continue meanwhile. Returns false
// if the worker's mailbox is full.
bool worker_remove(struct worker *worker, struct arena *arena, uint32_t timeout_ms);

// Asks the worker to disconnect every client, within `timeout_ms`, and to end.
void worker_stop(struct worker *worker, uint32_t timeout_ms);

// The time that the worker has spent outside epoll_wait, in nanoseconds. Any thread.
uint64_t worker_busy_ns(const struct worker *worker);

// Joins the thread and frees the worker.
void worker_join(struct worker *worker);
