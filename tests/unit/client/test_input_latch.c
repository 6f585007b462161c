// SPDX-License-Identifier: MIT
// Inputs that change between two ticks.
#include "input_latch.h"
#include "test.h"

static void set(struct raim_input_latch *latch, int move_x, int fire, int aim)
{
    const raim_input input = {
        .move_x = (int8_t)move_x, .fire = (uint8_t)fire, .aim = (raim_angle)aim, .rewind = 9};
    raim_input_latch_set(latch, &input);
}

static void assert_taken(struct raim_input_latch *latch, int move_x, int fire, int aim)
{
    const raim_input input = raim_input_latch_take(latch);
    assert_int_equal(input.move_x, move_x);
    assert_int_equal(input.fire, fire);
    assert_int_equal(input.aim, aim);
    assert_int_equal(input.rewind, 0);
}

TEST(what_is_held_counts_for_every_tick)
{
    struct raim_input_latch latch = {0};
    assert_taken(&latch, 0, 0, 0);
    set(&latch, 1, 1, 7);
    for (int i = 0; i < 3; i++)
        assert_taken(&latch, 1, 1, 7);
    set(&latch, 0, 0, 8);
    assert_taken(&latch, 0, 0, 8); // released at once
}

TEST(a_click_between_two_ticks_fires_once_where_it_aimed)
{
    struct raim_input_latch latch = {0};
    set(&latch, 0, 1, 100);
    set(&latch, 0, 0, 100);
    set(&latch, 0, 0, 200);
    assert_taken(&latch, 0, 1, 100);
    assert_taken(&latch, 0, 0, 200);
    // A click while a shot was held before: released, pressed, released.
    set(&latch, 0, 1, 1);
    assert_taken(&latch, 0, 1, 1);
    set(&latch, 0, 0, 2);
    set(&latch, 0, 1, 3);
    set(&latch, 0, 0, 4);
    assert_taken(&latch, 0, 1, 3);
    assert_taken(&latch, 0, 0, 4);
}

TEST(a_fire_that_is_still_held_has_the_newest_aim)
{
    struct raim_input_latch latch = {0};
    set(&latch, 0, 1, 100);
    set(&latch, 0, 1, 200);
    assert_taken(&latch, 0, 1, 200);
}

TEST(a_tap_moves_one_tick)
{
    struct raim_input_latch latch = {0};
    set(&latch, 1, 0, 0);
    set(&latch, 0, 0, 0);
    assert_taken(&latch, 1, 0, 0);
    assert_taken(&latch, 0, 0, 0);
    // Of two directions the one that is held counts.
    set(&latch, 1, 0, 0);
    set(&latch, -1, 0, 0);
    assert_taken(&latch, -1, 0, 0);
    // The same direction set again is no new press.
    set(&latch, -1, 0, 5);
    set(&latch, 0, 0, 5);
    assert_taken(&latch, 0, 0, 5);
}
