// SPDX-License-Identifier: MIT
// What the operator is told when an arena does not answer: its worker never runs here.
#define _GNU_SOURCE
#include "control.h"
#include "orders.h"
#include "passed.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { DEADLINE_MS = 10000 };

struct fixture {
    struct config *config;
    struct arena *arenas[2];
    struct status_source source;
    struct passed passed; // nothing
    char error[256];
};

static int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->config = config_demo();
    for (int i = 0; i < 2; i++) {
        fixture->config->arenas[i].port = 0;
        fixture->arenas[i] = arena_create(fixture->config, &fixture->config->arenas[i],
                                          &fixture->passed, fixture->error, sizeof fixture->error);
        assert_non_null(fixture->arenas[i]);
    }
    fixture->source = (struct status_source){.arenas = fixture->arenas, .arena_count = 2};
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 2; i++)
        arena_destroy(fixture->arenas[i]);
    config_unload(fixture->config);
    free(fixture);
    return 0;
}

static struct order say_to(const char *arena)
{
    bool path_is_known;
    struct order order = {.route = orders_find("/say", "POST", &path_is_known)};
    assert_non_null(order.route);
    strcpy(orders_field(&order, "arena"), arena);
    strcpy(orders_field(&order, "text"), "hello");
    return order;
}

static void test_an_arena_that_answers_nothing_is_asked_no_more_after_a_while(void **state)
{
    struct fixture *fixture = *state;
    struct orders *orders = orders_open(&fixture->source, fixture->error, sizeof fixture->error);
    assert_non_null(orders);
    int taken = 0;
    struct order order = say_to("duel");
    for (orders_give(orders, &order); order.problem == NULL; orders_give(orders, &order)) {
        assert_int_equal(order.waiting, 1);
        assert_in_range(++taken, 1, 1000);
        order = say_to("duel");
    }
    assert_true(taken > 10);
    assert_int_equal(order.status, 503);
    // The other one is asked all the same.
    order = say_to("");
    orders_give(orders, &order);
    assert_null(order.problem);
    assert_int_equal(order.asked, 2);
    assert_int_equal(order.waiting, 1);
    uint32_t number;
    bool done;
    assert_false(orders_collect(orders, &number, &done));
    orders_close(orders);
}

static void test_bans_wait_for_an_arena_that_is_busy(void **state)
{
    struct fixture *fixture = *state;
    struct orders *orders = orders_open(&fixture->source, fixture->error, sizeof fixture->error);
    bool path_is_known;
    assert_int_equal(orders_timeout_ms(orders), -1);
    struct order order = say_to("duel");
    for (orders_give(orders, &order); order.problem == NULL; orders_give(orders, &order))
        order = say_to("duel");
    struct order ban = {.route = orders_find("/ban", "POST", &path_is_known)};
    strcpy(orders_field(&ban, "address"), "192.0.2.0/24");
    orders_give(orders, &ban);
    assert_string_equal(ban.text, "{\"bans\":1}\n");
    free(ban.text);
    uint32_t number;
    bool done;
    assert_false(orders_collect(orders, &number, &done));
    assert_true(orders_timeout_ms(orders) > 0); // it is still to be told
    // One letter comes back, and the bans take its place.
    struct mailbox *mailbox = arena_mailbox(fixture->arenas[0]);
    for (int i = 0; i < 2; i++) {
        assert_non_null(mailbox_open(mailbox));
        mailbox_reply(mailbox);
    }
    while (orders_collect(orders, &number, &done))
        continue;
    assert_false(orders_collect(orders, &number, &done));
    assert_int_equal(orders_timeout_ms(orders), -1);
    orders_close(orders);
}

static void test_a_request_that_no_arena_answers_ends_in_time(void **state)
{
    struct fixture *fixture = *state;
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "/tmp/raim-control-%d.sock", (int)getpid());
    struct control *control =
        control_open(name.sun_path, &fixture->source, fixture->error, sizeof fixture->error);
    assert_string_equal(control != NULL ? "" : fixture->error, "");
    const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(client, (const struct sockaddr *)&name, sizeof name), 0);
    static const char request[] = "POST /say HTTP/1.1\r\nHost: raimd\r\nContent-Length: 10\r\n"
                                  "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
                                  "text=hello";
    assert_int_equal(send(client, request, strlen(request), 0), strlen(request));
    struct pollfd answer = {.fd = client, .events = POLLIN};
    struct timespec now, begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        control_run(control);
        clock_gettime(CLOCK_MONOTONIC, &now);
        assert_true(now.tv_sec - begin.tv_sec < DEADLINE_MS / 1000);
    } while (poll(&answer, 1, 5) == 0);
    char text[512] = "";
    assert_true(recv(client, text, sizeof text - 1, 0) > 0);
    assert_non_null(strstr(text, " 504 "));
    close(client);

    // One that still waits does not keep it from closing.
    const int other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(other, (const struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(send(other, request, strlen(request), 0), strlen(request));
    for (int i = 0; i < 20; i++)
        control_run(control);
    control_close(control);
    assert_int_equal(access(name.sun_path, F_OK), -1);
    close(other);
}

int main(void)
{
    unsetenv("STATE_DIRECTORY");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_an_arena_that_answers_nothing_is_asked_no_more_after_a_while, open_fixture,
            close_fixture),
        cmocka_unit_test_setup_teardown(test_bans_wait_for_an_arena_that_is_busy, open_fixture,
                                        close_fixture),
        cmocka_unit_test_setup_teardown(test_a_request_that_no_arena_answers_ends_in_time,
                                        open_fixture, close_fixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
