// SPDX-License-Identifier: MIT
// Reserved seats: who may sit down while those who are named have not come.
#include "seats.h"
#include "test.h"

enum { UNTIL_MS = 1000 };

static struct seats *reserve(void)
{
    static const char names[][RAIM_MAX_NAME_BYTES + 1] = {"ada", "bob"};
    struct seats *seats = seats_create(names, 2, UNTIL_MS);
    assert_non_null(seats);
    return seats;
}

TEST(others_get_what_is_not_reserved)
{
    struct seats *seats = reserve();
    assert_true(seats_take(seats, "eve", 0, 3, 0));
    assert_false(seats_take(seats, "zed", 1, 3, 0));
    assert_true(seats_take(seats, "ada", 1, 3, 0));
    assert_false(seats_take(seats, "zed", 2, 3, 0));
    assert_true(seats_take(seats, "bob", 2, 3, 0));
    assert_false(seats_take(seats, "zed", 3, 3, 0));
    seats_destroy(seats);
}

TEST(a_player_takes_one_reserved_seat)
{
    struct seats *seats = reserve();
    assert_true(seats_take(seats, "ada", 0, 2, 0));
    assert_false(seats_take(seats, "ada", 1, 2, 0));
    assert_true(seats_take(seats, "bob", 1, 2, 0));
    // Who has left has given the seat up.
    assert_true(seats_take(seats, "eve", 1, 2, 0));
    seats_destroy(seats);
}

TEST(all_seats_are_free_at_the_deadline)
{
    struct seats *seats = reserve();
    assert_false(seats_take(seats, "eve", 0, 2, UNTIL_MS - 1));
    assert_true(seats_take(seats, "eve", 0, 2, UNTIL_MS));
    seats_destroy(seats);
}

TEST(fewer_places_than_seats_admit_nobody_else)
{
    struct seats *seats = reserve();
    assert_false(seats_take(seats, "eve", 0, 1, 0));
    assert_false(seats_take(seats, "eve", 5, 1, 0)); // the places were lowered
    assert_false(seats_take(seats, "", 0, 2, 0));    // a token without a name
    seats_destroy(seats);
}
