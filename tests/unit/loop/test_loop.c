// SPDX-License-Identifier: MIT
// The event loop: what is due runs, in order, once, and not after its removal.
#define _GNU_SOURCE
#include "loop.h"
#include "monotonic.h"
#include "test.h"
#include "wakeup.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { SLOW_MS = 5000 }; // nothing takes so long on a busy machine

static struct loop *loop;

// What has run, a letter each.
static char trace[64];

static void note(char letter)
{
    const size_t length = strlen(trace);
    assert_true(length + 1 < sizeof trace);
    trace[length] = letter;
    trace[length + 1] = '\0';
}

static void run_a(void *context)
{
    (void)context;
    note('a');
}

static void run_b(void *context)
{
    (void)context;
    note('b');
}

static void run_c(void *context)
{
    (void)context;
    note('c');
}

static int open_loop(void **state)
{
    (void)state;
    trace[0] = '\0';
    loop = loop_create();
    return loop == NULL;
}

static int close_loop(void **state)
{
    (void)state;
    loop_destroy(loop);
    return 0;
}

// Runs all that is due now.
static void run_due(void)
{
    while (loop_wait(loop, 0))
        continue;
}

TEST(a_timer_runs_once_and_not_early, open_loop, close_loop)
{
    struct loop_source *timer = loop_add_timer(loop, 0, run_a, NULL);
    const uint64_t due_ms = monotonic_ms() + 20;
    assert_false(loop_wait(loop, 0)); // it is off at first
    loop_set_timer(timer, due_ms);
    assert_true(loop_wait(loop, SLOW_MS));
    assert_true(monotonic_ms() >= due_ms);
    assert_false(loop_wait(loop, 30));
    assert_string_equal(trace, "a");
    loop_remove(timer);
}

TEST(timers_run_in_the_order_of_their_times, open_loop, close_loop)
{
    struct loop_source *late = loop_add_timer(loop, 0, run_a, NULL);
    struct loop_source *early = loop_add_timer(loop, 0, run_b, NULL);
    struct loop_source *never = loop_add_timer(loop, 0, run_c, NULL);
    const uint64_t now_ms = monotonic_ms();
    loop_set_timer(late, now_ms + 20);
    loop_set_timer(early, now_ms + 10);
    loop_set_timer(never, now_ms);
    loop_set_timer(never, LOOP_NEVER);
    assert_true(loop_wait(loop, SLOW_MS));
    assert_true(loop_wait(loop, SLOW_MS));
    assert_string_equal(trace, "ba");
    loop_remove(late);
    loop_remove(early);
    loop_remove(never);
}

TEST(a_timer_in_the_past_runs_at_once, open_loop, close_loop)
{
    struct loop_source *timer = loop_add_timer(loop, SLOW_MS, run_a, NULL);
    loop_set_timer(timer, 0);
    assert_true(loop_wait(loop, 0));
    assert_string_equal(trace, "a");
    loop_remove(timer);
}

// Timers that may be late share the wake-up of one that may not. Or they run before it at
// sd-event's own wake-up, once in 250 ms: of two trials that follow one another this can be one.
TEST(late_timers_share_a_wake_up, open_loop, close_loop)
{
    struct loop_source *lazy = loop_add_timer(loop, 2 * SLOW_MS, run_a, NULL);
    struct loop_source *exact = loop_add_timer(loop, 0, run_b, NULL);
    bool is_shared = false;
    for (int i = 0; i < 2 && !is_shared; i++) {
        trace[0] = '\0';
        const uint64_t due_ms = monotonic_ms() + 40;
        loop_set_timer(lazy, due_ms - 20);
        loop_set_timer(exact, due_ms);
        assert_true(loop_wait(loop, SLOW_MS));
        is_shared = monotonic_ms() >= due_ms;
        run_due();
        if (!is_shared) {
            assert_string_equal(trace, "a");
            assert_true(loop_wait(loop, SLOW_MS));
        }
        assert_int_equal(strlen(trace), 2);
    }
    assert_true(is_shared);
    loop_remove(lazy);
    loop_remove(exact);
}

TEST(an_interval_runs_again, open_loop, close_loop)
{
    const uint64_t begin_ms = monotonic_ms();
    struct loop_source *interval = loop_add_interval(loop, 10, run_a, NULL);
    for (int i = 0; i < 3; i++)
        assert_true(loop_wait(loop, SLOW_MS));
    assert_true(monotonic_ms() >= begin_ms + 30);
    assert_string_equal(trace, "aaa");
    loop_remove(interval);
}

TEST(deferred_work_runs_once_in_order, open_loop, close_loop)
{
    struct loop_source *first = loop_add_deferred(loop, run_a, NULL);
    struct loop_source *second = loop_add_deferred(loop, run_b, NULL);
    assert_false(loop_wait(loop, 0));
    loop_defer(first);
    loop_defer(second);
    loop_defer(first);
    run_due();
    assert_int_equal(strlen(trace), 2);
    loop_defer(second);
    run_due();
    assert_string_equal(trace + 2, "b");
    loop_remove(first);
    loop_remove(second);
}

static void clear(void *context)
{
    wakeup_clear(context);
    note('w');
}

static void *signal_soon(void *context)
{
    usleep(10000);
    wakeup_signal(context);
    return NULL;
}

TEST(a_descriptor_wakes_the_loop, open_loop, close_loop)
{
    struct wakeup wakeup;
    pthread_t thread;
    assert_true(wakeup_open(&wakeup));
    struct loop_source *source = loop_add_descriptor(loop, wakeup.descriptor, clear, &wakeup);
    assert_false(loop_wait(loop, 0));
    assert_int_equal(pthread_create(&thread, NULL, signal_soon, &wakeup), 0);
    assert_true(loop_wait(loop, SLOW_MS));
    pthread_join(thread, NULL);
    assert_false(loop_wait(loop, 0));
    wakeup_signal(&wakeup);
    loop_set_descriptor(source, false);
    assert_false(loop_wait(loop, 0));
    loop_set_descriptor(source, true);
    assert_true(loop_wait(loop, 0));
    assert_string_equal(trace, "ww");
    loop_remove(source);
    wakeup_close(&wakeup);
}

// A descriptor that is always readable does not keep the others from running.
TEST(no_source_starves_another, open_loop, close_loop)
{
    struct wakeup wakeup;
    assert_true(wakeup_open(&wakeup));
    wakeup_signal(&wakeup);
    struct loop_source *busy = loop_add_descriptor(loop, wakeup.descriptor, run_a, NULL);
    struct loop_source *timer = loop_add_timer(loop, 0, run_b, NULL);
    struct loop_source *deferred = loop_add_deferred(loop, run_c, NULL);
    loop_set_timer(timer, 0);
    loop_defer(deferred);
    for (int i = 0; i < 4; i++)
        assert_true(loop_wait(loop, 0));
    assert_non_null(strchr(trace, 'a'));
    assert_non_null(strchr(trace, 'b'));
    assert_non_null(strchr(trace, 'c'));
    loop_remove(busy);
    loop_remove(timer);
    loop_remove(deferred);
    wakeup_close(&wakeup);
}

// Removes the sources of the list, the one that runs among them.
static void remove_all(void *context)
{
    struct loop_source **sources = context;
    note('r');
    for (; *sources != NULL; sources++)
        loop_remove(*sources);
}

TEST(what_is_removed_while_it_is_due_does_not_run, open_loop, close_loop)
{
    struct wakeup wakeup;
    struct loop_source *sources[4] = {NULL};
    assert_true(wakeup_open(&wakeup));
    wakeup_signal(&wakeup);
    sources[0] = loop_add_timer(loop, 0, remove_all, sources);
    sources[1] = loop_add_descriptor(loop, wakeup.descriptor, remove_all, sources);
    sources[2] = loop_add_deferred(loop, remove_all, sources);
    loop_set_timer(sources[0], 0);
    loop_defer(sources[2]);
    run_due();
    assert_string_equal(trace, "r");
    loop_remove(NULL);
    wakeup_close(&wakeup);
}

struct once {
    struct loop_source *timer;
};

static void add_timer(void *context)
{
    struct once *once = context;
    note('n');
    once->timer = loop_add_timer(loop, 0, run_a, NULL);
    loop_set_timer(once->timer, 0);
}

TEST(a_function_adds_a_source, open_loop, close_loop)
{
    struct once once = {0};
    struct loop_source *deferred = loop_add_deferred(loop, add_timer, &once);
    loop_defer(deferred);
    run_due();
    assert_string_equal(trace, "na");
    loop_remove(once.timer);
    loop_remove(deferred);
}

TEST(a_signal_runs_before_what_else_is_due, open_loop, close_loop)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    struct loop_source *deferred = loop_add_deferred(loop, run_a, NULL);
    struct loop_source *source = loop_add_signal(loop, SIGHUP, run_b, NULL);
    assert_non_null(source);
    loop_defer(deferred);
    raise(SIGHUP);
    run_due();
    assert_string_equal(trace, "ba");
    loop_remove(deferred);
    loop_remove(source);
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

TEST(a_bad_descriptor_is_rejected, open_loop, close_loop)
{
    assert_null(loop_add_descriptor(loop, -1, run_a, NULL));
}
