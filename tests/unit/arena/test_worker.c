// SPDX-License-Identifier: MIT
// A worker that runs an arena: the events that wake the main thread.
#define _GNU_SOURCE
#include "arena_command.h"
#include "worker.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { DEADLINE_MS = 10000, GOODBYE_MS = 100 };

struct fixture {
    struct config *config;
    struct socket_activation sockets; // empty
    struct wakeup wakeup;
    struct arena *arena;
    struct worker *worker;
};

static struct fixture fixture;

static int start(void **state)
{
    (void)state;
    char error[256] = "";
    fixture = (struct fixture){.config = config_demo(&(struct diagnostics){.out = stderr})};
    fixture.config->arenas[0].port = 0;
    assert_true(wakeup_open(&fixture.wakeup));
    fixture.arena = arena_create(fixture.config, &fixture.config->arenas[0], &fixture.sockets,
                                 &fixture.wakeup, error, sizeof error);
    assert_string_equal(error, "");
    fixture.worker = worker_start(0, &fixture.arena, 1, error, sizeof error);
    assert_string_equal(error, "");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    worker_stop(fixture.worker, GOODBYE_MS);
    worker_join(fixture.worker);
    arena_destroy(fixture.arena);
    wakeup_close(&fixture.wakeup);
    config_unload(fixture.config);
    return 0;
}

// Sleeps like the main thread. Only the worker wakes it before the timeout.
static void sleep_until_woken(void)
{
    struct pollfd set = {.fd = fixture.wakeup.descriptor, .events = POLLIN};
    assert_int_equal(poll(&set, 1, DEADLINE_MS), 1);
    wakeup_clear(&fixture.wakeup);
}

static void test_an_idle_worker_wakes_nobody(void **state)
{
    (void)state;
    const uint32_t begin = arena_ticks(fixture.arena);
    struct pollfd set = {.fd = fixture.wakeup.descriptor, .events = POLLIN};
    while (arena_ticks(fixture.arena) - begin < 20)
        assert_int_equal(poll(&set, 1, 10), 0);
}

static void test_an_answered_command_wakes(void **state)
{
    (void)state;
    struct mailbox *commands = arena_mailbox(fixture.arena);
    for (int i = 0; i < 5; i++) {
        struct command *command = mailbox_reserve(commands);
        *command = (struct command){.kind = COMMAND_SAY, .request = 7, .text = "hello"};
        mailbox_submit(commands);
        while (mailbox_completed(commands) == NULL)
            sleep_until_woken();
        const struct command *answer = mailbox_completed(commands);
        assert_int_equal(answer->request, 7);
        assert_true(answer->done);
        mailbox_release(commands);
    }
}

static void test_a_match_that_was_given_back_wakes(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct prepared_match *prepared =
            arena_prepare(fixture.arena, &fixture.config->arenas[0], fixture.config);
        assert_non_null(prepared);
        prepared->at_once = true;
        arena_offer(fixture.arena, prepared);
        while (!arena_collect(fixture.arena))
            sleep_until_woken();
        assert_ptr_equal(arena_prepared_match(fixture.arena), prepared);
    }
}

static void test_an_arena_that_was_let_go_wakes(void **state)
{
    (void)state;
    assert_true(worker_remove(fixture.worker, fixture.arena, GOODBYE_MS));
    while (!arena_is_released(fixture.arena))
        sleep_until_woken();
}

int main(void)
{
    unsetenv("RUNTIME_DIRECTORY");
    unsetenv("STATE_DIRECTORY");
#define TEST(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(test_an_idle_worker_wakes_nobody),
        TEST(test_an_answered_command_wakes),
        TEST(test_a_match_that_was_given_back_wakes),
        TEST(test_an_arena_that_was_let_go_wakes),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
