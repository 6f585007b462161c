// SPDX-License-Identifier: MIT
// Which inputs are sent with an INPUT.
#include "clock.h"
#include "input_latch.h"
#include "test.h"

enum { TICK_HZ = 60, LONGEST = TICK_HZ / 10 };
static const uint32_t start = UINT32_MAX - 3; // ticks wrap soon

static const raim_wire_input still = {.move_x = 1, .aim = 100};
static const struct raim_input_circumstances nothing;

struct stream {
    struct raim_input_pace pace;
    uint32_t tick;
};

static bool take(struct stream *stream, raim_wire_input input,
                 struct raim_input_circumstances circumstances)
{
    return raim_input_pace_take(&stream->pace, TICK_HZ, stream->tick++, &input, circumstances);
}

// A stream whose newest INPUT was sent in the tick before, and has nothing left to say.
static struct stream calm(void)
{
    struct stream stream = {.tick = start};
    for (int i = 0; i < 3; i++)
        assert_true(take(&stream, still, nothing)); // the first inputs
    int ticks = 1;
    for (; !take(&stream, still, nothing); ticks++)
        assert_true(ticks < LONGEST);
    assert_int_equal(ticks, LONGEST);
    return stream;
}

TEST(an_input_that_changes_nothing_is_sent_ten_times_a_second)
{
    struct stream stream = calm();
    for (int i = 1; i <= 10 * LONGEST; i++)
        assert_int_equal(take(&stream, still, nothing), i % LONGEST == 0);
    // At a rate below that every input is sent.
    struct raim_input_pace slow = {0};
    for (uint32_t tick = 0; tick < 20; tick++)
        assert_true(raim_input_pace_take(&slow, 10, tick, &still, nothing));
}

TEST(a_key_pressed_or_released_is_sent_in_three_ticks)
{
    const raim_wire_input changes[] = {{.move_x = 0, .aim = 100},
                                       {.move_x = 1, .move_y = -1, .aim = 100},
                                       {.move_x = 1, .fire = true, .view_age = 5, .aim = 100}};
    for (int i = 0; i < 3; i++) {
        struct stream stream = calm();
        for (int tick = 1; tick <= 3; tick++)
            assert_true(take(&stream, changes[i], nothing));
        assert_false(take(&stream, changes[i], nothing));
        // Released.
        for (int tick = 1; tick <= 3; tick++)
            assert_true(take(&stream, still, nothing));
        assert_false(take(&stream, still, nothing));
    }
    // A further change begins anew.
    struct stream stream = calm();
    assert_true(take(&stream, changes[0], nothing));
    assert_true(take(&stream, changes[0], nothing));
    for (int tick = 1; tick <= 3; tick++)
        assert_true(take(&stream, changes[1], nothing));
    assert_false(take(&stream, changes[1], nothing));
}

TEST(an_input_that_may_fire_is_sent_in_three_ticks)
{
    raim_wire_input fires = still;
    fires.fire = true;
    struct stream stream = calm();
    for (int tick = 1; tick <= 3; tick++)
        assert_true(take(&stream, fires, nothing));
    assert_false(take(&stream, fires, nothing));
    const struct raim_input_circumstances shot = {.may_fire = true};
    assert_true(take(&stream, fires, shot));
    assert_true(take(&stream, fires, nothing));
    assert_true(take(&stream, fires, nothing));
    assert_false(take(&stream, fires, nothing));
    for (int tick = 0; tick < 20; tick++)
        assert_true(take(&stream, fires, shot)); // it is not known when the bullet is fired
}

TEST(an_aim_alone_is_sent_in_every_second_tick)
{
    struct stream stream = calm();
    raim_wire_input turning = still;
    for (int i = 1; i <= 20; i++) {
        turning.aim++;
        assert_int_equal(take(&stream, turning, nothing), i % 2 == 0);
    }
    // The last change is sent, however short it was.
    turning.aim++;
    assert_false(take(&stream, turning, nothing));
    assert_true(take(&stream, turning, nothing));
    assert_false(take(&stream, turning, nothing));
    assert_false(take(&stream, turning, nothing));
}

TEST(news_are_acknowledged_at_once_or_a_tick_after_others)
{
    const struct raim_input_circumstances news = {.has_news = true};
    struct stream stream = calm();
    // The INPUT of the tick before acknowledged nothing.
    assert_true(take(&stream, still, news));
    assert_false(take(&stream, still, news));
    assert_true(take(&stream, still, nothing)); // for what has come a tick before
    assert_false(take(&stream, still, nothing));
    assert_true(take(&stream, still, news));
    assert_false(take(&stream, still, nothing));
    for (int i = 1; i <= 20; i++)
        assert_int_equal(take(&stream, still, news), i % 2 == 1);
}

TEST(an_aim_sent_before_does_not_delay_every_acknowledgement)
{
    // A mouse turns in every tick, and a snapshot comes in every second one, just after an INPUT.
    struct stream stream = calm();
    raim_wire_input turning = still;
    int acks = 0, sent = 0;
    for (int i = 1; i <= 40; i++) {
        turning.aim++;
        const bool is_news = i % 2 == 1;
        const bool is_sent =
            take(&stream, turning, (struct raim_input_circumstances){.has_news = is_news});
        sent += is_sent;
        acks += is_sent && is_news;
    }
    assert_int_equal(acks, 20);
    assert_int_equal(sent, 20);
}

// --- Input latch ---

// Inputs that change between two ticks.

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
