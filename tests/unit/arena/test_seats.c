// SPDX-License-Identifier: MIT
// Reserved seats: who may sit down while those who are named have not come.
#include "seats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { UNTIL_MS = 1000 };

static struct seats *reserve(void)
{
    static const char names[][RAIM_MAX_NAME_BYTES + 1] = {"ada", "bob"};
    struct seats *seats = seats_create(names, 2, UNTIL_MS);
    assert_non_null(seats);
    return seats;
}

static void test_others_get_what_is_not_reserved(void **state)
{
    (void)state;
    struct seats *seats = reserve();
    assert_true(seats_take(seats, "eve", 0, 3, 0));
    assert_false(seats_take(seats, "zed", 1, 3, 0));
    assert_true(seats_take(seats, "ada", 1, 3, 0));
    assert_false(seats_take(seats, "zed", 2, 3, 0));
    assert_true(seats_take(seats, "bob", 2, 3, 0));
    assert_false(seats_take(seats, "zed", 3, 3, 0));
    seats_destroy(seats);
}

static void test_a_player_takes_one_reserved_seat(void **state)
{
    (void)state;
    struct seats *seats = reserve();
    assert_true(seats_take(seats, "ada", 0, 2, 0));
    assert_false(seats_take(seats, "ada", 1, 2, 0));
    assert_true(seats_take(seats, "bob", 1, 2, 0));
    // Who has left has given the seat up.
    assert_true(seats_take(seats, "eve", 1, 2, 0));
    seats_destroy(seats);
}

static void test_all_seats_are_free_at_the_deadline(void **state)
{
    (void)state;
    struct seats *seats = reserve();
    assert_false(seats_take(seats, "eve", 0, 2, UNTIL_MS - 1));
    assert_true(seats_take(seats, "eve", 0, 2, UNTIL_MS));
    seats_destroy(seats);
}

static void test_fewer_places_than_seats_admit_nobody_else(void **state)
{
    (void)state;
    struct seats *seats = reserve();
    assert_false(seats_take(seats, "eve", 0, 1, 0));
    assert_false(seats_take(seats, "eve", 5, 1, 0)); // the places were lowered
    assert_false(seats_take(seats, "", 0, 2, 0));    // a token without a name
    seats_destroy(seats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_others_get_what_is_not_reserved),
        cmocka_unit_test(test_a_player_takes_one_reserved_seat),
        cmocka_unit_test(test_all_seats_are_free_at_the_deadline),
        cmocka_unit_test(test_fewer_places_than_seats_admit_nobody_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
