// SPDX-License-Identifier: MIT
// The INPUTs of a client: what they repeat, when they are sent, and what a shot says of its view.
#include "client_fixture.h"

#include <math.h>

TEST(a_message_repeats_the_three_inputs_before)
{
    struct raim_client *client = player();
    assert_true(show_empty(client, FIRST_TICK));
    uint32_t tick = 0;
    for (int i = 0; i < 20; i++) {
        const raim_input input = {.move_y = (int8_t)(i % 2), .aim = (raim_angle)(1000 * i)};
        const struct raim_input_message message = read_message(press_input(client, &input));
        assert_true(i == 0 || message.tick == tick + 1);
        assert_int_equal(message.count, i < 4 ? i + 1 : 4);
        for (int j = 0; j < (int)message.count; j++)
            assert_int_equal(message.inputs[j].aim, 1000 * (i - j));
        tick = message.tick;
    }
}

TEST(an_acknowledgement_that_waits_is_not_forgotten)
{
    struct raim_client *client = player();
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(show_empty(client, FIRST_TICK + i));
        press(client);
    }
    const struct raim_wire_event event = {.kind = RAIM_WIRE_LEFT, .player = OTHER};
    assert_true(tell_events(client, FIRST_EVENT, &event, 1));
    assert_int_equal(pressed(client).events, FIRST_EVENT + 1);
    // The snapshot comes in the tick after an acknowledgement, so its own waits.
    assert_true(show_empty(client, FIRST_TICK + 5));
    assert_int_equal(press(client), 0);
    assert_int_equal(pressed(client).snapshot, FIRST_TICK + 5);
}

// Shows the own player with a timer, then holds fire. Returns a bit for each tick with a message.
static uint32_t messages_of_fire(bool alive, uint32_t timer)
{
    struct raim_client *client = player();
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    frame.self.alive = alive;
    frame.self.timer = (uint16_t)timer;
    if (alive)
        raim_set_add(frame.seen_players, OWN_SLOT);
    frame.players[OWN_SLOT] = (raim_wire_player){.x = 5000, .y = 5000};
    assert_true(show(client, &frame));
    uint32_t sent = 0;
    for (int i = 0; i < 22; i++)
        sent |= (uint32_t)(press_input(client, &(raim_input){.fire = 1}) > 0) << i;
    return sent;
}

TEST(an_input_is_sent_when_its_shot_can_be_fired)
{
    // A shot with the first input, the next one 15 ticks later; in between ten messages a second.
    assert_int_equal(messages_of_fire(true, 0), 0x7 | 1 << 8 | 1 << 14 | 0x7 << 15);
    // A player that is down may have respawned.
    assert_int_equal(messages_of_fire(false, 0), (1 << 22) - 1);
}

TEST(an_input_that_is_not_due_does_nothing)
{
    struct raim_client *client = player();
    assert_true(show_empty(client, FIRST_TICK));
    const uint32_t tick = pressed(client).tick;
    const raim_input input = {.aim = 1};
    for (int i = 0; i < 10; i++) {
        assert_false(raim_client_is_input_due(client, now_us));
        assert_int_equal(raim_client_write_input(client, now_us, &input, bytes, sizeof bytes), 0);
    }
    assert_int_equal(pressed(client).tick, tick + 1);
}

static uint32_t age_of_next_shot(struct raim_client *client, uint32_t *tick)
{
    const struct raim_input_message message =
        read_message(press_input(client, &(raim_input){.fire = 1}));
    *tick = message.tick;
    return message.inputs[0].view_age;
}

TEST(a_shot_says_how_late_its_shooter_was_shown_the_others)
{
    struct raim_client *client = player();
    uint32_t tick;
    assert_true(show_empty(client, FIRST_TICK));
    assert_int_equal(pressed(client).inputs[0].view_age, 0); // no shot
    // Who does not look sees the tick that is shown, before the press moves it on.
    for (int i = 0; i < 5; i++) {
        const uint32_t shown = raim_client_tick(client);
        const uint32_t age = age_of_next_shot(client, &tick);
        assert_int_equal(age, tick - shown);
    }
    // Who looks, what it saw then, however long ago; the wire tells 63 ticks at most.
    raim_client_interpolate(client, now_us);
    const double seen = raim_client_interpolated_tick(client);
    for (int i = 0; i < 100; i++) {
        const uint32_t age = age_of_next_shot(client, &tick);
        const uint32_t full = (uint32_t)floor(tick - seen + 0.5);
        assert_int_equal(age, full < RAIM_WIRE_REWIND ? full : RAIM_WIRE_REWIND);
    }
    // A lead is what the server does not make up for.
    now_us += 1000000 / TICK_HZ;
    assert_true(show_empty(client, tick - 4));
    raim_client_interpolate(client, now_us);
    const double age = raim_client_own_tick(client) - raim_client_interpolated_tick(client);
    assert_true(raim_client_lead_ticks(client) == fmax(0, age - MAX_REWIND));
}
