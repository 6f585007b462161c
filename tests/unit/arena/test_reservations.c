// SPDX-License-Identifier: MIT
// Reserved slots: who may sit down while those who are named have not come.
#include "reservations.h"
#include "test.h"

enum { UNTIL_MS = 1000 };

static struct reservations *reserve(void)
{
    static const char names[][RAIM_MAX_NAME_BYTES + 1] = {"ada", "bob"};
    struct reservations *reservations = reservations_create(names, 2, UNTIL_MS);
    assert_non_null(reservations);
    return reservations;
}

TEST(others_get_what_is_not_reserved)
{
    struct reservations *reservations = reserve();
    assert_true(reservations_take(reservations, "eve", 0, 3, 0));
    assert_false(reservations_take(reservations, "zed", 1, 3, 0));
    assert_true(reservations_take(reservations, "ada", 1, 3, 0));
    assert_false(reservations_take(reservations, "zed", 2, 3, 0));
    assert_true(reservations_take(reservations, "bob", 2, 3, 0));
    assert_false(reservations_take(reservations, "zed", 3, 3, 0));
    reservations_destroy(reservations);
}

TEST(a_player_takes_one_reserved_seat)
{
    struct reservations *reservations = reserve();
    assert_true(reservations_take(reservations, "ada", 0, 2, 0));
    assert_false(reservations_take(reservations, "ada", 1, 2, 0));
    assert_true(reservations_take(reservations, "bob", 1, 2, 0));
    // Who has left has given the slot up.
    assert_true(reservations_take(reservations, "eve", 1, 2, 0));
    reservations_destroy(reservations);
}

TEST(all_seats_are_free_at_the_deadline)
{
    struct reservations *reservations = reserve();
    assert_false(reservations_take(reservations, "eve", 0, 2, UNTIL_MS - 1));
    assert_true(reservations_take(reservations, "eve", 0, 2, UNTIL_MS));
    reservations_destroy(reservations);
}

TEST(fewer_places_than_seats_admit_nobody_else)
{
    struct reservations *reservations = reserve();
    assert_false(reservations_take(reservations, "eve", 0, 1, 0));
    assert_false(reservations_take(reservations, "eve", 5, 1, 0)); // the places were lowered
    assert_false(reservations_take(reservations, "", 0, 2, 0));    // a token without a name
    reservations_destroy(reservations);
}
