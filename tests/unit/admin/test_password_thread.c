// SPDX-License-Identifier: MIT
// Passwords are verified by a thread, in order, and only a few wait.
#define _GNU_SOURCE
#include "password_thread.h"

#include "crypto.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { PATIENCE_MS = 60000 };

static struct password made(const char *plain)
{
    static const uint8_t salt[PASSWORD_SALT_BYTES] = {1, 2, 3};
    struct password password;
    assert_true(password_make(plain, salt, &password));
    return password;
}

// Waits for the next outcome.
static bool outcome(struct password_thread *thread, const struct wakeup *wakeup, uint32_t number)
{
    uint32_t taken;
    bool is_right;
    while (!password_thread_take(thread, &taken, &is_right)) {
        struct pollfd wait = {.fd = wakeup->descriptor, .events = POLLIN};
        assert_int_equal(poll(&wait, 1, PATIENCE_MS), 1);
        wakeup_clear(wakeup);
    }
    assert_int_equal(taken, number);
    return is_right;
}

static void test_outcomes_come_in_order_and_few_wait(void **state)
{
    (void)state;
    struct wakeup wakeup;
    assert_true(wakeup_open(&wakeup));
    struct password_thread *thread = password_thread_create(&wakeup);
    const struct password password = made("correct horse");
    char longest[PASSWORD_MAX_BYTES + 2] = "";
    memset(longest, 'x', sizeof longest - 1);
    assert_int_equal(password_thread_check(thread, &password, longest), 0);
    const char *const plains[] = {"correct horse", "wrong", "", "correct horse "};
    uint32_t numbers[4];
    for (int i = 0; i < 4; i++)
        assert_true((numbers[i] = password_thread_check(thread, &password, plains[i])) > 0);
    const uint32_t nobodys = password_thread_check(thread, NULL, "correct horse");
    assert_true(nobodys > 0);
    int waiting = 5;
    while (password_thread_check(thread, &password, "wrong") > 0)
        waiting++;
    assert_int_equal(waiting, PASSWORD_THREAD_WAITING);
    for (int i = 0; i < 4; i++)
        assert_int_equal(outcome(thread, &wakeup, numbers[i]), i == 0);
    assert_false(outcome(thread, &wakeup, nobodys));
    assert_true(password_thread_check(thread, &password, "wrong") > 0);
    password_thread_destroy(thread); // with some that wait
    wakeup_close(&wakeup);
}

static void test_a_thread_that_was_never_needed(void **state)
{
    (void)state;
    const struct wakeup nobody = {.descriptor = -1};
    uint32_t number;
    bool is_right;
    struct password_thread *thread = password_thread_create(&nobody);
    assert_false(password_thread_take(thread, &number, &is_right));
    password_thread_destroy(thread);
    password_thread_destroy(NULL);
}

int main(void)
{
    if (!raim_crypto_init())
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcomes_come_in_order_and_few_wait),
        cmocka_unit_test(test_a_thread_that_was_never_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
