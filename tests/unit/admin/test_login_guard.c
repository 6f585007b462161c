// SPDX-License-Identifier: MIT
// Wrong passwords are counted by key, for some minutes, in fixed memory.
#include "admin_logins.h"
#include "test.h"

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
