// SPDX-License-Identifier: MIT
// Inputs and acknowledgements of a match's clients: in time, late, lost and hostile.
#include "inbox.h"
#include "match_fixture.h"
#include "test.h"

TEST(inputs_arrive_in_time_and_survive_a_loss)
{
    struct test_match *test = open_test_match(NULL, 2, 0);
    struct raim_client *client = join(test, 0, "runner");
    ticks(test, 200);
    const uint64_t late = rejected(test, RAIM_REJECTED_INPUT_LATE);
    test->loss = 0.3;
    ticks(test, 500);
    assert_int_equal(rejected(test, RAIM_REJECTED_INPUT_LATE), late);
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_PLAYING);
}

static size_t write_input(uint8_t *bytes, uint32_t at, bool has_snapshot, uint32_t snapshot)
{
    const struct raim_input_message message = {
        .tick = at, .has_snapshot = has_snapshot, .snapshot = snapshot, .count = 1};
    return raim_input_write(&message, bytes, RAIM_MAX_MESSAGE_BYTES);
}

TEST(hostile_inputs_and_acks_are_rejected_and_counted)
{
    struct test_match *test = open_test_match(NULL, 2, 0);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    join(test, 0, "honest");
    ticks(test, 100);
    const uint64_t late = rejected(test, RAIM_REJECTED_INPUT_LATE);
    const uint32_t now = raim_match_tick(test->match);
    to_match(test, 0, false, bytes, write_input(bytes, now - 1, false, 0));
    assert_int_equal(rejected(test, RAIM_REJECTED_INPUT_LATE), late + 1);
    to_match(test, 0, false, bytes, write_input(bytes, now + 64, false, 0));
    to_match(test, 0, false, bytes, write_input(bytes, now + 0x7fffffff, false, 0));
    assert_int_equal(rejected(test, RAIM_REJECTED_INPUT_EARLY), 2);
    to_match(test, 0, false, bytes, write_input(bytes, now + 1, true, now + 1));
    to_match(test, 0, false, bytes, write_input(bytes, now + 1, true, now + 64));
    assert_int_equal(rejected(test, RAIM_REJECTED_ACK), 2);
    // Old acknowledgements are ignored.
    to_match(test, 0, false, bytes, write_input(bytes, now + 1, true, now - 90));
    assert_int_equal(rejected(test, RAIM_REJECTED_ACK), 2);
    // A second HELLO, an input on the wrong channel, a message that only servers send.
    const struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "again"};
    to_match(test, 0, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
    to_match(test, 0, true, bytes, write_input(bytes, now, false, 0));
    to_match(test, 0, false, (const uint8_t[]){RAIM_MESSAGE_SNAPSHOT}, 1);
    assert_int_equal(rejected(test, RAIM_REJECTED_UNEXPECTED), 3);
    to_match(test, 0, false, bytes, 0);
    to_match(test, 0, false, (const uint8_t[]){0, 0xff}, 2);
    assert_int_equal(rejected(test, RAIM_REJECTED_MALFORMED), 2);
    ticks(test, 100);
    assert_int_equal(raim_client_get_state(test->clients[0]), RAIM_CLIENT_PLAYING);
}

TEST(a_repetition_cannot_change_an_input)
{
    struct test_match *test = open_test_match(NULL, 1, 0);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client *client = join(test, 0, "runner");
    ticks(test, 5);
    const uint32_t slot = raim_client_own_slot(client);
    const raim_player *self = &raim_world_players_const(raim_match_world(test->match))[slot];
    const uint32_t at = raim_match_tick(test->match) + 20;
    struct raim_input_message message = {.tick = at, .count = 1};
    message.inputs[0].aim = 1000;
    to_match(test, 0, false, bytes, raim_input_write(&message, bytes, sizeof bytes));
    message.inputs[0].aim = 2000;
    to_match(test, 0, false, bytes, raim_input_write(&message, bytes, sizeof bytes));
    while (raim_match_tick(test->match) != at + 1) {
        raim_match_step(test->match);
        deliver(test);
    }
    assert_int_equal(self->aim, 1000);
}

TEST(keys_are_released_when_inputs_stop)
{
    struct test_match *test = open_test_match(NULL, 1, 0);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client *client = join(test, 0, "runner");
    raim_match_step(test->match);
    deliver(test);
    const uint32_t slot = raim_client_own_slot(client);
    const raim_player *self = &raim_world_players_const(raim_match_world(test->match))[slot];
    struct raim_input_message message = {.tick = raim_match_tick(test->match), .count = 1};
    message.inputs[0].move_y = 1;
    message.inputs[0].aim = 777;
    to_match(test, 0, false, bytes, raim_input_write(&message, bytes, sizeof bytes));
    int moved = 0;
    for (int i = 0; i < 100; i++) {
        raim_match_step(test->match);
        deliver(test);
        moved += self->position.y != self->previous.y;
    }
    // Held for half a second after the tick it was for; spawns have room on one side at least.
    assert_true(moved == 31 || self->position.y == 980);
    assert_int_equal(self->aim, 777);
}

// --- Inbox ---

// Input buffer: margins by window, missed inputs, and clamping of claimed view ages. Storing and
// taking inputs is tested through the match.

// Tick 64 begins a window.
enum { START = 2 * RAIM_MARGIN_WINDOW };

// The rewind limit of a client without measurements.
static const struct raim_rewind_limit unknown;

// The inbox reads only tick, tick_hz and max_rewind of the world.
static struct raim_world world_at(uint32_t now)
{
    return (struct raim_world){.tick = now, .tick_hz = 60, .max_rewind = 9};
}

static void arrive(struct raim_inbox *inbox, uint32_t now, int32_t margin)
{
    const struct raim_world world = world_at(now);
    const struct raim_input_message message = {.tick = now + (uint32_t)margin, .count = 1};
    raim_inbox_receive(inbox, &world, &unknown, &message);
}

static raim_input take(struct raim_inbox *inbox, uint32_t now, struct raim_inbox_tally *tally)
{
    struct raim_inbox_tally unasked = {0};
    const struct raim_world world = world_at(now);
    return raim_inbox_take(inbox, &world, tally != NULL ? tally : &unasked);
}

enum { NEVER = RAIM_MARGIN_WINDOW };

// Plays a window in which every input comes early by `margin`, except one that comes a tick later.
static uint32_t play_window(struct raim_inbox *inbox, uint32_t now, int32_t margin, uint32_t late)
{
    for (uint32_t i = 0; i < RAIM_MARGIN_WINDOW; i++, now++) {
        if (i == late + 1)
            arrive(inbox, now, margin - 1);
        if (i != late)
            arrive(inbox, now, margin);
        take(inbox, now, NULL);
    }
    return now;
}

TEST(the_margin_is_the_least_of_the_last_whole_window)
{
    struct raim_inbox inbox = {0};
    uint32_t now = play_window(&inbox, START, 3, NEVER);
    assert_int_equal(inbox.margin, 3);
    // A window's minimum applies only after its end.
    for (int i = 0; i < RAIM_MARGIN_WINDOW - 1; i++, now++) {
        arrive(&inbox, now, 10);
        take(&inbox, now, NULL);
        assert_int_equal(inbox.margin, 3);
    }
    arrive(&inbox, now, 10);
    take(&inbox, now, NULL);
    assert_int_equal(inbox.margin, 10);
    now = play_window(&inbox, now + 1, 12, 20);
    assert_int_equal(inbox.margin, 11);
}

TEST(late_inputs_make_it_negative_and_what_is_beyond_is_cut)
{
    struct raim_inbox inbox = {0};
    uint32_t now = play_window(&inbox, START, -2, NEVER);
    assert_int_equal(inbox.margin, -2);
    now = play_window(&inbox, now, 50, NEVER);
    assert_int_equal(inbox.margin, RAIM_MAX_MARGIN);
    struct raim_inbox other = {0};
    play_window(&other, START, -1000, NEVER);
    assert_int_equal(other.margin, -RAIM_MAX_MARGIN);
}

TEST(a_tick_of_another_age_is_late_and_no_more)
{
    struct raim_inbox inbox = {0};
    arrive(&inbox, START, 18);
    arrive(&inbox, START, INT32_MIN + 2); // newer than the one before, in the order of ticks
    take(&inbox, START, NULL);
    play_window(&inbox, START + 1, 3, NEVER);
    assert_int_equal(inbox.margin, 18);
}

TEST(where_nothing_comes_it_stays)
{
    struct raim_inbox inbox = {0};
    uint32_t now = play_window(&inbox, START, 7, NEVER);
    for (int i = 0; i < 3 * RAIM_MARGIN_WINDOW; i++, now++)
        take(&inbox, now, NULL);
    assert_int_equal(inbox.margin, 7);
}

TEST(messages_that_were_overtaken_or_come_again_or_too_early_do_not_count)
{
    struct raim_inbox inbox = {0};
    uint32_t now = START;
    for (int i = 0; i < RAIM_MARGIN_WINDOW; i++, now++) {
        arrive(&inbox, now, 5);
        arrive(&inbox, now, 5);
        arrive(&inbox, now, 2);   // was on its way for longer
        arrive(&inbox, now, -20); // a very old one
        arrive(&inbox, now, 64);
        take(&inbox, now, NULL);
    }
    assert_int_equal(inbox.margin, 5);
}

TEST(inputs_count_as_missed_from_the_first_one_on)
{
    struct raim_inbox inbox = {0};
    struct raim_inbox_tally tally = {0};
    uint32_t now = START;
    for (; now < START + 10; now++)
        take(&inbox, now, &tally);
    arrive(&inbox, now, 5);
    for (; now < START + 15; now++)
        take(&inbox, now, &tally);
    assert_int_equal(tally.due, 0);
    take(&inbox, now++, &tally);
    assert_true(tally.due == 1 && tally.missed == 0);
}

// Delivers a message at `now` whose newest input is for `tick`: `count` inputs of these moves,
// newest first.
static void tell(struct raim_inbox *inbox, uint32_t now, uint32_t tick, uint32_t count,
                 const int8_t *moves)
{
    const struct raim_world world = world_at(now);
    struct raim_input_message message = {.tick = tick, .count = count};
    for (uint32_t i = 0; i < count; i++)
        message.inputs[i] = (raim_wire_input){.move_x = moves[i], .aim = (uint16_t)(100 * i)};
    raim_inbox_receive(inbox, &world, &unknown, &message);
}

TEST(a_tick_without_an_input_is_missed_where_other_keys_were_pressed)
{
    struct raim_inbox inbox = {0};
    struct raim_inbox_tally tally = {0};
    uint32_t now = START;
    tell(&inbox, now, now, 1, (int8_t[]){1});
    for (int i = 0; i < 4; i++)
        assert_int_equal(take(&inbox, now++, &tally).move_x, 1);
    // Three were left out: a message that says so, and one that is late itself.
    tell(&inbox, now, now, 4, (int8_t[]){1, 1, 1, 1});
    take(&inbox, now++, &tally);
    take(&inbox, now++, &tally);
    tell(&inbox, now, now - 1, 2, (int8_t[]){1, 1});
    take(&inbox, now++, &tally);
    assert_true(tally.due == 7 && tally.missed == 0);
    // The key was released in one tick and another one pressed in the next.
    take(&inbox, now++, &tally);
    take(&inbox, now++, &tally);
    tell(&inbox, now, now, 3, (int8_t[]){-1, -1, 0});
    take(&inbox, now++, &tally);
    assert_true(tally.due == 10 && tally.missed == 2);
    // A repetition counts nothing twice, and neither does a tick that is long past.
    tell(&inbox, now, now, 4, (int8_t[]){-1, -1, -1, 0});
    take(&inbox, now++, &tally);
    take(&inbox, now++, &tally);
    tell(&inbox, now, now - 1 - RAIM_INBOX_TICKS, 1, (int8_t[]){1});
    take(&inbox, now++, &tally);
    assert_true(tally.due == 13 && tally.missed == 2);
}

TEST(fire_counts_as_a_key_and_an_aim_does_not)
{
    struct raim_inbox inbox = {0};
    struct raim_inbox_tally tally = {0};
    const struct raim_world world = world_at(START + 2);
    struct raim_input_message message = {.tick = START + 2, .count = 2};
    message.inputs[1].aim = 5000;
    tell(&inbox, START, START, 1, (int8_t[]){0});
    take(&inbox, START, &tally);
    take(&inbox, START + 1, &tally);
    struct raim_inbox other = inbox;
    raim_inbox_receive(&inbox, &world, &unknown, &message);
    take(&inbox, START + 2, &tally);
    assert_int_equal(tally.missed, 0);
    message.inputs[1].fire = true;
    raim_inbox_receive(&other, &world, &unknown, &message);
    take(&other, START + 2, &tally);
    assert_int_equal(tally.missed, 1);
}

TEST(ticks_of_a_silence_are_missed)
{
    struct raim_inbox inbox = {0};
    struct raim_inbox_tally tally = {0};
    uint32_t now = START;
    const uint32_t silent = (uint32_t)(RAIM_INBOX_SILENT_S * 60);
    tell(&inbox, now, now, 1, (int8_t[]){1});
    take(&inbox, now++, &tally);
    for (uint32_t i = 1; i <= 3 * silent; i++) {
        take(&inbox, now++, &tally);
        assert_int_equal(tally.missed, i > silent ? i - silent : 0);
    }
    // They are not counted again when the message comes.
    tell(&inbox, now, now - 1, 4, (int8_t[]){0, 0, 0, 0});
    take(&inbox, now++, &tally);
    assert_true(tally.missed == 2 * silent + 1 && tally.missed < tally.due); // this tick, too
    tell(&inbox, now, now, 1, (int8_t[]){0});
    take(&inbox, now, &tally);
    assert_int_equal(tally.missed, 2 * silent + 1);
}

// Plays a window in which every second input comes, early by these margins in turn.
static int32_t margin_of(const int32_t *margins, uint32_t count)
{
    struct raim_inbox inbox = {0};
    uint32_t now = START, sent = 0;
    int32_t ahead[2 * RAIM_MARGIN_WINDOW];
    const uint32_t messages = RAIM_MARGIN_WINDOW / 2;
    for (uint32_t i = 0; i < messages; i++)
        ahead[i] = i < count ? margins[i] : 4;
    for (; now < START + RAIM_MARGIN_WINDOW; now++) {
        while (sent < messages && (int32_t)(START + 2 * sent - now) <= ahead[sent] - 4) {
            arrive(&inbox, now, (int32_t)(START + 4 + 2 * sent - now));
            sent++;
        }
        take(&inbox, now, NULL);
    }
    return inbox.margin;
}

TEST(a_single_delayed_message_does_not_count_for_the_margin)
{
    assert_int_equal(margin_of((int32_t[]){4, 4, 4}, 3), 4);
    assert_int_equal(margin_of((int32_t[]){4, 4, 3}, 3), 3);
    assert_int_equal(margin_of((int32_t[]){4, 4, 2}, 3), 4);
    // Two in a row do.
    assert_int_equal(margin_of((int32_t[]){4, 4, 2, 2}, 4), 2);
    assert_int_equal(margin_of((int32_t[]){4, 4, 1, 2}, 4), 1);
}

// The rewind limit of a client with a constant round trip of so many ticks.
static struct raim_rewind_limit far_by(uint32_t ticks)
{
    struct raim_rewind_limit rewind_limit = {0};
    raim_rewind_limit_acknowledge(&rewind_limit, ticks);
    return rewind_limit;
}

// The rewind granted to a claimed view age in an input for `ahead` ticks from now.
static raim_input fire(struct raim_inbox *inbox, struct raim_world world,
                       const struct raim_rewind_limit *rewind_limit, uint32_t ahead,
                       uint8_t view_age)
{
    const struct raim_input_message message = {
        .tick = world.tick + ahead,
        .has_snapshot = rewind_limit != NULL,
        .count = 1,
        .inputs = {{.fire = true, .view_age = view_age}},
    };
    *inbox = (struct raim_inbox){0};
    assert_int_equal(
        raim_inbox_receive(inbox, &world, rewind_limit != NULL ? rewind_limit : &unknown, &message),
        RAIM_REJECTIONS);
    world.tick += ahead;
    struct raim_inbox_tally tally = {0};
    const raim_input input = raim_inbox_take(inbox, &world, &tally);
    assert_int_equal(input.fire, 1);
    return input;
}

static uint8_t rewind_for(struct raim_world world, const struct raim_rewind_limit *rewind_limit,
                          uint32_t ahead, uint8_t view_age)
{
    struct raim_inbox inbox;
    return fire(&inbox, world, rewind_limit, ahead, view_age).rewind;
}

TEST(a_view_counts_up_to_what_the_world_rewinds)
{
    struct raim_world world = world_at(START);
    const struct raim_rewind_limit far = far_by(40);
    assert_int_equal(rewind_for(world, &far, 3, 0), 0);
    assert_int_equal(rewind_for(world, &far, 3, 8), 8);
    assert_int_equal(rewind_for(world, &far, 3, 9), 9);
    assert_int_equal(rewind_for(world, &far, 3, RAIM_WIRE_REWIND), 9);
    world.max_rewind = 0;
    assert_int_equal(rewind_for(world, &far, 3, 8), 0);
}

TEST(a_view_is_no_older_than_the_rewind_limit_allows)
{
    struct raim_world world = world_at(START);
    world.max_rewind = RAIM_MAX_REWIND;
    const struct raim_rewind_limit near = far_by(0), far = far_by(9);
    assert_int_equal(rewind_for(world, &near, 0, RAIM_WIRE_REWIND), RAIM_REWIND_LIMIT_SHOW);
    assert_int_equal(rewind_for(world, &far, 0, RAIM_WIRE_REWIND), 9 + RAIM_REWIND_LIMIT_SHOW);
    assert_int_equal(rewind_for(world, &far, 0, 4), 4);
    // Sending inputs further ahead does not extend the permitted view age.
    assert_int_equal(rewind_for(world, &far, 1, RAIM_WIRE_REWIND), 10 + RAIM_REWIND_LIMIT_SHOW);
    for (uint32_t ahead = RAIM_INBOX_EARLY; ahead < RAIM_INBOX_TICKS; ahead += 20)
        assert_int_equal(rewind_for(world, &far, ahead, RAIM_WIRE_REWIND),
                         9 + RAIM_INBOX_EARLY + RAIM_REWIND_LIMIT_SHOW);
    assert_int_equal(rewind_for(world, NULL, 2, RAIM_WIRE_REWIND), 0);
    world.tick = UINT32_MAX; // and across the counter's end
    assert_int_equal(rewind_for(world, &far, 1, RAIM_WIRE_REWIND), 10 + RAIM_REWIND_LIMIT_SHOW);
}

TEST(a_claim_beyond_a_tick_more_is_noted)
{
    struct raim_inbox inbox;
    struct raim_world world = world_at(START);
    const struct raim_rewind_limit near = far_by(2), far = far_by(40);
    const uint8_t most = 2 + RAIM_REWIND_LIMIT_SHOW;
    fire(&inbox, world, &near, 0, most + 1);
    assert_false(inbox.is_held_clamped);
    fire(&inbox, world, &near, 0, most + 2);
    assert_true(inbox.is_held_clamped);
    // A claim beyond the world's max_rewind does not count as clamped.
    fire(&inbox, world, &far, 0, RAIM_WIRE_REWIND);
    assert_false(inbox.is_held_clamped);
}

TEST(each_input_of_a_message_has_a_view_of_its_own)
{
    struct raim_inbox inbox = {0};
    struct raim_world world = world_at(START);
    const struct raim_rewind_limit far = far_by(9);
    world.max_rewind = RAIM_MAX_REWIND;
    const struct raim_input_message message = {
        .tick = START + 2,
        .has_snapshot = true,
        .snapshot = START,
        .count = 3,
        .inputs = {{.fire = true, .view_age = 40}, {.view_age = 0}, {.fire = true, .view_age = 40}},
    };
    raim_inbox_receive(&inbox, &world, &far, &message);
    const uint8_t rewinds[] = {9 + RAIM_REWIND_LIMIT_SHOW, 0, 11 + RAIM_REWIND_LIMIT_SHOW};
    struct raim_inbox_tally tally = {0};
    for (; world.tick < START + 3; world.tick++)
        assert_int_equal(raim_inbox_take(&inbox, &world, &tally).rewind,
                         rewinds[world.tick - START]);
}

TEST(a_late_message_tells_no_view_beyond_its_own_either)
{
    struct raim_inbox inbox = {0};
    struct raim_world world = world_at(START);
    const struct raim_rewind_limit far = far_by(9);
    world.max_rewind = RAIM_MAX_REWIND;
    const struct raim_input_message message = {
        .tick = START - 4,
        .has_snapshot = true,
        .snapshot = START, // newer than the tick that it is for
        .count = 1,
        .inputs = {{.fire = true, .view_age = 40}},
    };
    assert_int_equal(raim_inbox_receive(&inbox, &world, &far, &message), RAIM_REJECTED_INPUT_LATE);
    struct raim_inbox_tally tally = {0};
    const raim_input held = raim_inbox_take(&inbox, &world, &tally);
    assert_true(held.fire == 1 && held.rewind == 5 + RAIM_REWIND_LIMIT_SHOW);
    assert_true(inbox.is_held_clamped);
}
