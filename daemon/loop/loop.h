// SPDX-License-Identifier: MIT
// The event loop of the main thread, on sd-event(3): descriptors, timers, signals and deferred
// work. A module registers what it waits for when it is created, and removes it when it is
// destroyed. The loop runs one function at a time. A function may add, set and remove sources, its
// own included, but not wait.
// Thread rule: main thread only. Another thread wakes it through a descriptor (wakeup.h).
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct loop;

// Something that the loop waits for. Each function that adds one returns NULL when memory runs out,
// or for a descriptor that cannot be waited for.
struct loop_source;

typedef void loop_function(void *context);

// Opens its descriptors. Returns NULL with errno.
struct loop *loop_create(void);

// Every source has been removed. Takes NULL.
void loop_destroy(struct loop *loop);

// Waits for at most `timeout_ms`, -1: without a limit, until a function is due, and runs it. Those
// that are due together run in the order in which they became due, one a call. Returns false if
// none was due in time.
bool loop_wait(struct loop *loop, int timeout_ms);

// Runs for as long as the descriptor is readable. The descriptor stays the caller's; it is closed
// after the removal.
struct loop_source *loop_add_descriptor(struct loop *loop, int descriptor, loop_function *run,
                                        void *context);

// Runs for each signal of this number, which must be blocked in every thread. Signals run before
// other sources that are due.
struct loop_source *loop_add_signal(struct loop *loop, int signal, loop_function *run,
                                    void *context);

// Runs once after each loop_set_timer, up to `late_ms` after the time that was set: timers whose
// spans overlap share a wake-up of the processor. Until then it is off.
struct loop_source *loop_add_timer(struct loop *loop, uint32_t late_ms, loop_function *run,
                                   void *context);

// Sets when a timer runs next, CLOCK_MONOTONIC; LOOP_NEVER: it is off.
#define LOOP_NEVER UINT64_MAX
void loop_set_timer(struct loop_source *timer, uint64_t due_ms);

// Runs every `every_ms`, for the first time after one interval, and up to a quarter of it late.
struct loop_source *loop_add_interval(struct loop *loop, uint32_t every_ms, loop_function *run,
                                      void *context);

// Runs once after each loop_defer, as soon as the function that runs now has returned. Calls before
// it runs count as one.
struct loop_source *loop_add_deferred(struct loop *loop, loop_function *run, void *context);
void loop_defer(struct loop_source *deferred);

// Switches a descriptor off, and on again.
void loop_set_descriptor(struct loop_source *descriptor, bool is_on);

// Takes NULL. Its function does not run any more.
void loop_remove(struct loop_source *source);
