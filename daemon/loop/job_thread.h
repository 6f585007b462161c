// SPDX-License-Identifier: MIT
// A thread that does one job after another for the main thread, in the order of posting: what would
// keep the main thread for longer than moments. A job belongs to the thread from its posting until
// `done` is called, and to the main thread otherwise, so that it needs no lock.
// Thread rule: main thread only, except `work`.
#pragma once

#include <stdbool.h>

struct job_thread;
struct loop;

// Embedded in what it is about. The caller owns it.
struct job {
    void (*work)(struct job *job); // in the thread
    void (*done)(struct job *job); // then in the main thread, by the loop; may post it again
    struct job *next;
};

// `name` is that of the thread, at most 15 bytes. `policy` of sched(7), SCHED_BATCH or SCHED_IDLE,
// is set unless the operator has chosen one. Returns NULL when memory or descriptors run out.
struct job_thread *job_thread_create(struct loop *loop, const char *name, int policy);

// Waits for the job under way, and drops the others: their functions are not called. Takes NULL.
void job_thread_destroy(struct job_thread *thread);

// Starts the thread, unless it runs: until then jobs wait. False with errno.
bool job_thread_start(struct job_thread *thread);

void job_thread_post(struct job_thread *thread, struct job *job);

// Waits until every job is done. Works in the caller's thread if its own was not started.
void job_thread_finish(struct job_thread *thread);
