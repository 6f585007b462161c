// SPDX-License-Identifier: MIT
// Runs arenas in a thread.
#define _GNU_SOURCE
#include "worker.h"

#include "log.h"
#include "mailbox.h"
#include "monotonic.h"
#include "wakeup.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum {
    ANSWER_POLL_MS = 5,
    MESSAGES = 512, // every arena can be removed and another added at once
};

static_assert(MESSAGES >= 2 * CONFIG_MAX_ARENAS, "every arena can come and go");

// A request of the main thread about an arena.
struct worker_message {
    struct arena *arena;
    bool leaves;
    uint32_t timeout_ms;
};

struct worker {
    // Written before the thread starts.
    struct {
        int number;
        int epoll;
        struct wakeup wakeup; // signalled for messages and for the end
    } opened;

    // Only the worker's thread touches it.
    struct {
        int arena_count;
        struct arena *arenas[2 * CONFIG_MAX_ARENAS]; // arenas may leave while others are added
    } own;

    // Only the main thread touches it.
    struct {
        pthread_t thread;
    } main;

    // Both touch it at any time: each member is atomic or a queue between two threads.
    struct {
        struct mailbox mailbox; // of struct worker_message; the main thread sends
        _Atomic bool is_stopping;
        _Atomic uint32_t stop_timeout_ms;
        _Atomic uint64_t busy_ns;
    } shared;
};

static bool watch(int epoll, int descriptor, struct arena *arena)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = arena}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

// Disconnects the clients of every arena first, then waits for all of them together.
static void say_goodbye(struct worker *worker)
{
    const struct timespec pause = {.tv_nsec = ANSWER_POLL_MS * 1000 * 1000};
    for (int i = 0; i < worker->own.arena_count; i++)
        arena_say_goodbye(worker->own.arenas[i]);
    uint32_t left_ms = atomic_load(&worker->shared.stop_timeout_ms);
    for (bool empty = false; !empty && left_ms >= ANSWER_POLL_MS; left_ms -= ANSWER_POLL_MS) {
        nanosleep(&pause, NULL);
        empty = true;
        for (int i = 0; i < worker->own.arena_count; i++)
            empty = arena_is_empty(worker->own.arenas[i]) && empty;
    }
}

static void take_arena(struct worker *worker, struct arena *arena)
{
    errno = ENOSPC;
    if (worker->own.arena_count == 2 * CONFIG_MAX_ARENAS ||
        !watch(worker->opened.epoll, arena_timer(arena), arena)) {
        log_error("cannot watch an arena worker=%d: %s", worker->opened.number, strerror(errno));
        arena_release(arena);
        return;
    }
    worker->own.arenas[worker->own.arena_count++] = arena;
    arena_start(arena, 0);
}

static void release(struct worker *worker, struct arena *arena)
{
    int i = 0;
    while (worker->own.arenas[i] != arena)
        i++;
    worker->own.arenas[i] = worker->own.arenas[--worker->own.arena_count];
    epoll_ctl(worker->opened.epoll, EPOLL_CTL_DEL, arena_timer(arena), NULL);
    arena_release(arena);
}

// An arena that take_arena could not watch was released, and is not in the list.
static void begin_leaving(struct worker *worker, const struct worker_message *message)
{
    for (int i = 0; i < worker->own.arena_count; i++)
        if (worker->own.arenas[i] == message->arena)
            arena_leave(message->arena, message->timeout_ms);
}

// Returns true if the worker is to stop.
static bool read_messages(struct worker *worker)
{
    if (!wakeup_clear(&worker->opened.wakeup))
        return false;
    const struct worker_message *message;
    while ((message = mailbox_peek(&worker->shared.mailbox)) != NULL) {
        if (message->leaves)
            begin_leaving(worker, message);
        else
            take_arena(worker, message->arena);
        mailbox_complete(&worker->shared.mailbox);
    }
    return atomic_load(&worker->shared.is_stopping);
}

static void *run(void *argument)
{
    enum { BATCH = 64 };
    struct worker *worker = argument;
    struct epoll_event events[BATCH];
    char name[16];
    snprintf(name, sizeof name, "raimd-worker-%d", worker->opened.number);
    pthread_setname_np(pthread_self(), name);
    log_never_wait();

    for (int i = 0; i < worker->own.arena_count; i++) {
        const uint64_t tick_ns =
            UINT64_C(1000000000) / arena_config(worker->own.arenas[i])->tick_hz;
        arena_start(worker->own.arenas[i],
                    tick_ns * (uint64_t)(i + 1) / (uint64_t)worker->own.arena_count);
    }
    for (bool stopping = false; !stopping;) {
        const int count = epoll_wait(worker->opened.epoll, events, BATCH, -1);
        const uint64_t begin_ns = monotonic_ns();
        for (int i = 0; i < count; i++) {
            struct arena *arena = events[i].data.ptr;
            if (arena == NULL)
                stopping = read_messages(worker);
            else if (!arena_run(arena))
                release(worker, arena);
        }
        atomic_fetch_add_explicit(&worker->shared.busy_ns, monotonic_ns() - begin_ns,
                                  memory_order_relaxed);
    }
    say_goodbye(worker);
    return NULL;
}

static void destroy(struct worker *worker)
{
    if (worker->opened.epoll >= 0)
        close(worker->opened.epoll);
    wakeup_close(&worker->opened.wakeup);
    mailbox_destroy(&worker->shared.mailbox);
    free(worker);
}

struct worker *worker_start(int number, struct arena *const *arenas, int arena_count, char *error,
                            size_t capacity)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL ||
        !mailbox_create(&worker->shared.mailbox, MESSAGES, sizeof(struct worker_message))) {
        snprintf(error, capacity, "out of memory");
        free(worker);
        return NULL;
    }
    worker->opened.number = number;
    worker->own.arena_count = arena_count;
    worker->opened.epoll = epoll_create1(EPOLL_CLOEXEC);
    bool good = wakeup_open(&worker->opened.wakeup) && worker->opened.epoll >= 0 &&
                watch(worker->opened.epoll, worker->opened.wakeup.descriptor, NULL);
    for (int i = 0; good && i < arena_count; i++) {
        worker->own.arenas[i] = arenas[i];
        good = watch(worker->opened.epoll, arena_timer(arenas[i]), arenas[i]);
    }
    if (good)
        good = (errno = pthread_create(&worker->main.thread, NULL, run, worker)) == 0;
    if (!good) {
        snprintf(error, capacity, "cannot start a worker: %s", strerror(errno));
        destroy(worker);
        return NULL;
    }
    return worker;
}

static bool post(struct worker *worker, struct worker_message message)
{
    while (mailbox_completed(&worker->shared.mailbox) != NULL)
        mailbox_release(&worker->shared.mailbox);
    struct worker_message *blank = mailbox_reserve(&worker->shared.mailbox);
    if (blank == NULL)
        return false;
    *blank = message;
    mailbox_submit(&worker->shared.mailbox);
    wakeup_signal(&worker->opened.wakeup);
    return true;
}

bool worker_add(struct worker *worker, struct arena *arena)
{
    return post(worker, (struct worker_message){.arena = arena});
}

bool worker_remove(struct worker *worker, struct arena *arena, uint32_t timeout_ms)
{
    return post(worker,
                (struct worker_message){.arena = arena, .leaves = true, .timeout_ms = timeout_ms});
}

void worker_stop(struct worker *worker, uint32_t timeout_ms)
{
    atomic_store(&worker->shared.stop_timeout_ms, timeout_ms);
    atomic_store(&worker->shared.is_stopping, true);
    wakeup_signal(&worker->opened.wakeup);
}

uint64_t worker_busy_ns(const struct worker *worker)
{
    return atomic_load_explicit(&worker->shared.busy_ns, memory_order_relaxed);
}

void worker_join(struct worker *worker)
{
    pthread_join(worker->main.thread, NULL);
    destroy(worker);
}
