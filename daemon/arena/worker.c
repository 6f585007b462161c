// SPDX-License-Identifier: MIT
// Runs arenas in a thread, by one timer for the earliest deadline of all. Datagrams wake nobody:
// they wait in the kernel for the tick that consumes them. So that the tick of an arena in which
// nobody is need not ask its socket, a second epoll descriptor, which is polled but never waited
// on, knows which of these sockets are readable.
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
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum {
    ANSWER_POLL_MS = 5,
    MESSAGES = 512,                // every arena can be removed and another added at once
    SLOTS = 2 * CONFIG_MAX_ARENAS, // arenas may leave while others are added
    NS_PER_S = 1000000000,
    MAX_WAIT_NS = 4000000, // of an arena that is asleep for those that are awake
};

static_assert(MESSAGES >= 2 * CONFIG_MAX_ARENAS, "every arena can come and go");

// A request of the main thread about an arena.
struct worker_message {
    struct arena *arena;
    bool leaves;
    uint32_t timeout_ms;
};

// What the worker asks about an arena in every wake-up, side by side, because there may be
// hundreds.
struct worker_slot {
    struct arena *arena;
    uint64_t due_ns; // see arena_due_ns
    bool is_asleep;  // see arena_is_asleep; the worker then watches the socket
};

struct worker {
    // Written before the thread starts.
    struct {
        int number;
        int epoll;   // of the timer and the wakeup
        int sockets; // an epoll descriptor of the arenas' sockets
        int timer;
        struct wakeup wakeup; // signalled for messages and for the end
    } opened;

    // Only the worker's thread touches it.
    struct {
        int arena_count;
        struct worker_slot slots[SLOTS];
        struct epoll_event readable[SLOTS]; // scratch
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

static bool watch(int epoll, int descriptor, uint32_t events, void *context)
{
    struct epoll_event event = {.events = events, .data = {.ptr = context}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

// Adds an arena with a socket that is not watched yet. False with errno on failure.
static bool add_slot(struct worker *worker, struct arena *arena)
{
    errno = ENOSPC;
    if (worker->own.arena_count == SLOTS ||
        !watch(worker->opened.sockets, arena_socket(arena), 0, arena))
        return false;
    worker->own.slots[worker->own.arena_count++] = (struct worker_slot){.arena = arena};
    return true;
}

// Notes when an arena is due, and watches its socket while it is asleep.
static void update_slot(const struct worker *worker, struct worker_slot *slot)
{
    slot->due_ns = arena_due_ns(slot->arena);
    if (slot->is_asleep == arena_is_asleep(slot->arena))
        return;
    slot->is_asleep = !slot->is_asleep;
    struct epoll_event event = {.events = slot->is_asleep ? EPOLLIN : 0,
                                .data = {.ptr = slot->arena}};
    epoll_ctl(worker->opened.sockets, EPOLL_CTL_MOD, arena_socket(slot->arena), &event);
}

// Disconnects the clients of every arena first, then waits for all of them together.
static void say_goodbye(struct worker *worker)
{
    const struct timespec pause = {.tv_nsec = ANSWER_POLL_MS * 1000 * 1000};
    for (int i = 0; i < worker->own.arena_count; i++)
        arena_say_goodbye(worker->own.slots[i].arena);
    uint32_t left_ms = atomic_load(&worker->shared.stop_timeout_ms);
    for (bool empty = false; !empty && left_ms >= ANSWER_POLL_MS; left_ms -= ANSWER_POLL_MS) {
        nanosleep(&pause, NULL);
        empty = true;
        for (int i = 0; i < worker->own.arena_count; i++)
            empty = arena_is_empty(worker->own.slots[i].arena) && empty;
    }
}

static void take_arena(struct worker *worker, struct arena *arena)
{
    if (!add_slot(worker, arena)) {
        log_error("cannot watch an arena worker=%d: %s", worker->opened.number, strerror(errno));
        arena_release(arena);
        return;
    }
    arena_start(arena, 0);
    update_slot(worker, &worker->own.slots[worker->own.arena_count - 1]);
}

static void release(struct worker *worker, struct worker_slot *slot)
{
    struct arena *arena = slot->arena;
    epoll_ctl(worker->opened.sockets, EPOLL_CTL_DEL, arena_socket(arena), NULL);
    *slot = worker->own.slots[--worker->own.arena_count];
    arena_release(arena);
}

// An arena that take_arena could not watch was released, and is not in the list.
static void begin_leaving(struct worker *worker, const struct worker_message *message)
{
    for (int i = 0; i < worker->own.arena_count; i++)
        if (worker->own.slots[i].arena == message->arena) {
            arena_leave(message->arena, message->timeout_ms);
            update_slot(worker, &worker->own.slots[i]);
        }
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

// Runs an arena. Returns false if it has left and its slot holds another one.
static bool run_slot(struct worker *worker, struct worker_slot *slot)
{
    if (!arena_run(slot->arena)) {
        release(worker, slot);
        return false;
    }
    update_slot(worker, slot);
    return true;
}

static void mark_readable(struct worker *worker)
{
    const int count = epoll_wait(worker->opened.sockets, worker->own.readable, SLOTS, 0);
    for (int i = 0; i < count; i++)
        arena_mark_readable(worker->own.readable[i].data.ptr);
}

// Runs the arenas that are due: first those that are awake, then the others. While one of the
// former is due again, an arena that is asleep waits, but not for longer than MAX_WAIT_NS: players
// hardly wait for empty arenas, whatever strangers send to these, and overload does not stop their
// ticks.
static void run_due(struct worker *worker)
{
    uint64_t now_ns = monotonic_ns(), next_ns = UINT64_MAX;
    bool any_asleep = false;
    for (int i = 0; i < worker->own.arena_count; i++) {
        struct worker_slot *slot = &worker->own.slots[i];
        any_asleep = any_asleep || (slot->is_asleep && slot->due_ns <= now_ns);
        if (slot->is_asleep)
            continue;
        if (slot->due_ns <= now_ns && !run_slot(worker, slot))
            i--;
        else if (!slot->is_asleep && slot->due_ns < next_ns)
            next_ns = slot->due_ns;
    }
    if (any_asleep) {
        mark_readable(worker);
        now_ns = monotonic_ns();
    }
    for (int i = 0; any_asleep && i < worker->own.arena_count; i++) {
        struct worker_slot *slot = &worker->own.slots[i];
        if (!slot->is_asleep || slot->due_ns > now_ns ||
            (next_ns <= now_ns && now_ns - slot->due_ns < MAX_WAIT_NS))
            continue;
        run_slot(worker, slot); // nothing leaves while it is asleep
        now_ns = monotonic_ns();
    }
}

// Arms the timer for the earliest deadline; in the past, it fires at once.
static void arm_timer(const struct worker *worker)
{
    uint64_t due_ns = UINT64_MAX;
    for (int i = 0; i < worker->own.arena_count; i++)
        due_ns = worker->own.slots[i].due_ns < due_ns ? worker->own.slots[i].due_ns : due_ns;
    struct itimerspec when = {0}; // without an arena: disarmed
    if (worker->own.arena_count > 0)
        when.it_value = (struct timespec){.tv_sec = (time_t)(due_ns / NS_PER_S),
                                          .tv_nsec = (long)(due_ns % NS_PER_S)};
    const int result = timerfd_settime(worker->opened.timer, TFD_TIMER_ABSTIME, &when, NULL);
    assert(result == 0);
    (void)result;
}

static void *run(void *argument)
{
    struct worker *worker = argument;
    char name[16];
    snprintf(name, sizeof name, "raimd-worker-%d", worker->opened.number);
    pthread_setname_np(pthread_self(), name);
    log_never_wait();

    for (int i = 0; i < worker->own.arena_count; i++) {
        struct worker_slot *slot = &worker->own.slots[i];
        const uint64_t tick_ns = (uint64_t)NS_PER_S / arena_config(slot->arena)->match.tick_hz;
        arena_start(slot->arena, tick_ns * (uint64_t)(i + 1) / (uint64_t)worker->own.arena_count);
        update_slot(worker, slot);
    }
    for (bool stopping = false; !stopping;) {
        struct epoll_event events[2]; // the timer needs no answer: arming clears it
        arm_timer(worker);
        const int count = epoll_wait(worker->opened.epoll, events, 2, -1);
        const uint64_t begin_ns = monotonic_ns();
        for (int i = 0; i < count; i++)
            if (events[i].data.ptr == &worker->opened.wakeup)
                stopping = read_messages(worker);
        run_due(worker);
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
    if (worker->opened.sockets >= 0)
        close(worker->opened.sockets);
    if (worker->opened.timer >= 0)
        close(worker->opened.timer);
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
    worker->opened.epoll = epoll_create1(EPOLL_CLOEXEC);
    worker->opened.sockets = epoll_create1(EPOLL_CLOEXEC);
    worker->opened.timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    bool good = wakeup_open(&worker->opened.wakeup) && worker->opened.epoll >= 0 &&
                worker->opened.sockets >= 0 && worker->opened.timer >= 0 &&
                watch(worker->opened.epoll, worker->opened.wakeup.descriptor, EPOLLIN,
                      &worker->opened.wakeup) &&
                watch(worker->opened.epoll, worker->opened.timer, EPOLLIN, NULL);
    for (int i = 0; good && i < arena_count; i++)
        good = add_slot(worker, arenas[i]);
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
