// SPDX-License-Identifier: MIT
// A thread that waits for a wakeup, and threads that signal it.
#include "test.h"
#include "wakeup.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

enum { WAKERS = 4, ROUNDS = 20000, DEADLINE_MS = 10000 };

static bool is_readable(const struct wakeup *wakeup, int timeout_ms)
{
    struct pollfd set = {.fd = wakeup->descriptor, .events = POLLIN};
    return poll(&set, 1, timeout_ms) == 1;
}

TEST(signals_are_seen_once)
{
    struct wakeup wakeup;
    assert_true(wakeup_open(&wakeup));
    assert_false(is_readable(&wakeup, 0));
    assert_false(wakeup_clear(&wakeup));
    wakeup_signal(&wakeup);
    wakeup_signal(&wakeup);
    assert_true(is_readable(&wakeup, 0));
    assert_true(wakeup_clear(&wakeup));
    assert_false(is_readable(&wakeup, 0));
    assert_false(wakeup_clear(&wakeup));
    wakeup_close(&wakeup);
    assert_int_equal(wakeup.descriptor, -1);
    wakeup_close(&wakeup);
}

struct job {
    struct wakeup wakeup;
    _Atomic unsigned done;
};

static void *work(void *context)
{
    struct job *job = context;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_fetch_add(&job->done, 1);
        wakeup_signal(&job->wakeup);
    }
    return NULL;
}

// A thread that clears the wakeup before it checks for work misses no work.
TEST(nothing_is_slept_through)
{
    struct job job = {.done = 0};
    pthread_t wakers[WAKERS];
    assert_true(wakeup_open(&job.wakeup));
    for (int i = 0; i < WAKERS; i++)
        assert_int_equal(pthread_create(&wakers[i], NULL, work, &job), 0);
    for (unsigned seen = 0; seen < WAKERS * ROUNDS; seen = atomic_load(&job.done)) {
        assert_true(is_readable(&job.wakeup, DEADLINE_MS));
        assert_true(wakeup_clear(&job.wakeup));
    }
    for (int i = 0; i < WAKERS; i++)
        pthread_join(wakers[i], NULL);
    wakeup_close(&job.wakeup);
}
