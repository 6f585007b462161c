// SPDX-License-Identifier: MIT
// Wraps sd-event: one kind of function for every kind of source, and times in milliseconds.
#define _GNU_SOURCE
#include "loop.h"

#include "monotonic.h"

#include <systemd/sd-event.h>

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

enum { US_PER_MS = 1000 };

struct loop {
    sd_event *event;
    unsigned sources; // that were not removed
};

struct loop_source {
    struct loop *loop;
    sd_event_source *handle;
    loop_function *run;
    void *context;
    uint32_t every_ms; // of an interval; 0: it is none
};

struct loop *loop_create(void)
{
    struct loop *loop = calloc(1, sizeof *loop);
    if (loop == NULL)
        return NULL;
    int result = sd_event_new(&loop->event);
    // sd-event opens the descriptor of all timers with the first one, and keeps it.
    if (result >= 0)
        result = sd_event_add_time(loop->event, NULL, CLOCK_MONOTONIC, UINT64_MAX, 0, NULL, NULL);
    if (result >= 0)
        return loop;
    sd_event_unref(loop->event);
    free(loop);
    errno = -result;
    return NULL;
}

void loop_destroy(struct loop *loop)
{
    if (loop == NULL)
        return;
    assert(loop->sources == 0);
    sd_event_unref(loop->event);
    free(loop);
}

bool loop_wait(struct loop *loop, int timeout_ms)
{
    return sd_event_run(loop->event,
                        timeout_ms < 0 ? UINT64_MAX : (uint64_t)timeout_ms * US_PER_MS) > 0;
}

static struct loop_source *create(struct loop *loop, loop_function *run, void *context)
{
    struct loop_source *source = calloc(1, sizeof *source);
    if (source == NULL)
        return NULL;
    *source = (struct loop_source){.loop = loop, .run = run, .context = context};
    loop->sources++;
    return source;
}

// Keeps a source if sd-event has it.
static struct loop_source *keep(struct loop_source *source, int result)
{
    if (result >= 0)
        return source;
    loop_remove(source);
    errno = -result;
    return NULL;
}

void loop_remove(struct loop_source *source)
{
    if (source == NULL)
        return;
    sd_event_source_disable_unref(source->handle);
    source->loop->sources--;
    free(source);
}

// The source may be gone when the function returns.
static int run(struct loop_source *source)
{
    source->run(source->context);
    return 0;
}

static int run_descriptor(sd_event_source *handle, int descriptor, uint32_t events, void *source)
{
    (void)handle, (void)descriptor, (void)events;
    return run(source);
}

struct loop_source *loop_add_descriptor(struct loop *loop, int descriptor, loop_function *function,
                                        void *context)
{
    struct loop_source *source = create(loop, function, context);
    return source == NULL ? NULL
                          : keep(source, sd_event_add_io(loop->event, &source->handle, descriptor,
                                                         EPOLLIN, run_descriptor, source));
}

void loop_set_descriptor(struct loop_source *descriptor, bool is_on)
{
    sd_event_source_set_enabled(descriptor->handle, is_on ? SD_EVENT_ON : SD_EVENT_OFF);
}

static int run_signal(sd_event_source *handle, const struct signalfd_siginfo *info, void *source)
{
    (void)handle, (void)info;
    return run(source);
}

struct loop_source *loop_add_signal(struct loop *loop, int signal, loop_function *function,
                                    void *context)
{
    struct loop_source *source = create(loop, function, context);
    if (source == NULL)
        return NULL;
    const int result =
        sd_event_add_signal(loop->event, &source->handle, signal, run_signal, source);
    if (result >= 0)
        sd_event_source_set_priority(source->handle, SD_EVENT_PRIORITY_IMPORTANT);
    return keep(source, result);
}

static int run_timer(sd_event_source *handle, uint64_t due_us, void *context)
{
    struct loop_source *source = context;
    (void)handle, (void)due_us;
    if (source->every_ms > 0)
        loop_set_timer(source, monotonic_ms() + source->every_ms);
    return run(source);
}

struct loop_source *loop_add_timer(struct loop *loop, uint32_t late_ms, loop_function *function,
                                   void *context)
{
    struct loop_source *source = create(loop, function, context);
    if (source == NULL)
        return NULL;
    const uint64_t late_us = late_ms > 0 ? (uint64_t)late_ms * US_PER_MS : 1; // 0: its default
    const int result = sd_event_add_time(loop->event, &source->handle, CLOCK_MONOTONIC, 0, late_us,
                                         run_timer, source);
    if (result >= 0)
        loop_set_timer(source, LOOP_NEVER);
    return keep(source, result);
}

void loop_set_timer(struct loop_source *timer, uint64_t due_ms)
{
    const bool is_on = due_ms < LOOP_NEVER / US_PER_MS;
    if (is_on)
        sd_event_source_set_time(timer->handle, due_ms * US_PER_MS);
    sd_event_source_set_enabled(timer->handle, is_on ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

struct loop_source *loop_add_interval(struct loop *loop, uint32_t every_ms, loop_function *function,
                                      void *context)
{
    assert(every_ms > 0);
    struct loop_source *source = loop_add_timer(loop, every_ms / 4, function, context);
    if (source == NULL)
        return NULL;
    source->every_ms = every_ms;
    loop_set_timer(source, monotonic_ms() + every_ms);
    return source;
}

static int run_deferred(sd_event_source *handle, void *source)
{
    (void)handle;
    return run(source);
}

struct loop_source *loop_add_deferred(struct loop *loop, loop_function *function, void *context)
{
    struct loop_source *source = create(loop, function, context);
    if (source == NULL)
        return NULL;
    const int result = sd_event_add_defer(loop->event, &source->handle, run_deferred, source);
    if (result >= 0)
        sd_event_source_set_enabled(source->handle, SD_EVENT_OFF);
    return keep(source, result);
}

void loop_defer(struct loop_source *deferred)
{
    sd_event_source_set_enabled(deferred->handle, SD_EVENT_ONESHOT);
}
