// SPDX-License-Identifier: MIT
// Passwords are verified by a thread, in order, and only a few wait.
#define _GNU_SOURCE
#include "admin_logins.h"
#include "crypto.h"
#include "loop.h"
#include "password_thread.h"
#include "test.h"

enum { PATIENCE_MS = 60000 };

static void set_up(void)
{
    assert_true(raim_crypto_init());
}

TEST_EACH(set_up, NULL)

static struct password made(const char *plain)
{
    static const uint8_t salt[PASSWORD_SALT_BYTES] = {1, 2, 3};
    struct password password;
    assert_true(password_make(plain, salt, &password));
    return password;
}

// The outcomes that nobody has asked for yet.
static struct {
    uint32_t number;
    bool is_right;
} outcomes[PASSWORD_THREAD_WAITING];
static int count;

static void note(void *context, uint32_t number, bool is_right)
{
    (void)context;
    assert_true(count < PASSWORD_THREAD_WAITING);
    outcomes[count].number = number;
    outcomes[count++].is_right = is_right;
}

// Waits for the next outcome.
static bool outcome(struct loop *loop, uint32_t number)
{
    while (count == 0)
        assert_true(loop_wait(loop, PATIENCE_MS));
    const bool is_right = outcomes[0].is_right;
    assert_int_equal(outcomes[0].number, number);
    memmove(outcomes, outcomes + 1, sizeof outcomes - sizeof *outcomes);
    count--;
    return is_right;
}

TEST(outcomes_come_in_order_and_few_wait)
{
    struct loop *loop = loop_create();
    struct password_thread *thread = password_thread_create(loop);
    const struct password password = made("correct horse");
    char longest[PASSWORD_MAX_BYTES + 2] = "";
    memset(longest, 'x', sizeof longest - 1);
    assert_int_equal(password_thread_check(thread, &password, longest, note, NULL), 0);
    const char *const plains[] = {"correct horse", "wrong", "", "correct horse "};
    uint32_t numbers[4];
    for (int i = 0; i < 4; i++)
        assert_true((numbers[i] = password_thread_check(thread, &password, plains[i], note, NULL)) >
                    0);
    const uint32_t nobodys = password_thread_check(thread, NULL, "correct horse", note, NULL);
    assert_true(nobodys > 0);
    int waiting = 5;
    while (password_thread_check(thread, &password, "wrong", note, NULL) > 0)
        waiting++;
    assert_int_equal(waiting, PASSWORD_THREAD_WAITING);
    for (int i = 0; i < 4; i++)
        assert_int_equal(outcome(loop, numbers[i]), i == 0);
    assert_false(outcome(loop, nobodys));
    assert_true(password_thread_check(thread, &password, "wrong", note, NULL) > 0);
    password_thread_destroy(thread); // with some that wait
    loop_destroy(loop);
}

TEST(a_thread_that_was_never_needed)
{
    struct loop *loop = loop_create();
    struct password_thread *thread = password_thread_create(loop);
    assert_false(loop_wait(loop, 0));
    password_thread_destroy(thread);
    loop_destroy(loop);
    password_thread_destroy(NULL);
}

// --- Login guard ---

// Wrong passwords are counted by key, for some minutes, in fixed memory.

TEST(failures_are_counted_and_forgotten)
{
    struct login_guard guard = {0};
    for (uint32_t i = 1; i <= 7; i++)
        assert_int_equal(login_guard_fail(&guard, 5, 1000 * i), i);
    assert_int_equal(login_guard_failures(&guard, 5, 7000), 7);
    assert_int_equal(login_guard_failures(&guard, 6, 7000), 0);
    assert_int_equal(login_guard_failures(&guard, 5, 7000 + LOGIN_GUARD_MS - 1), 7);
    assert_int_equal(login_guard_failures(&guard, 5, 7000 + LOGIN_GUARD_MS), 0);
    assert_int_equal(login_guard_fail(&guard, 5, 7000 + LOGIN_GUARD_MS), 1);
}

TEST(who_failed_longest_ago_makes_arena)
{
    struct login_guard guard = {0};
    for (uint32_t key = 0; key < LOGIN_GUARD_ENTRIES; key++)
        login_guard_fail(&guard, key, 1 + key);
    assert_int_equal(login_guard_fail(&guard, 0, 1000), 2); // it is known: nobody makes room
    assert_int_equal(login_guard_fail(&guard, 1000, 1001), 1);
    assert_int_equal(login_guard_failures(&guard, 1, 1001), 0);
    for (uint32_t key = 2; key < LOGIN_GUARD_ENTRIES; key++)
        assert_int_equal(login_guard_failures(&guard, key, 1001), 1);
    assert_int_equal(login_guard_failures(&guard, 0, 1001), 2);
}
