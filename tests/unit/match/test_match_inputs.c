// SPDX-License-Identifier: MIT
// Inputs and acknowledgements of a match's clients: in time, late, lost and hostile.
#include "match_fixture.h"

TEST(inputs_arrive_in_time_and_survive_a_loss)
{
    const raim_rules rules = raim_rules_default();
    struct test_match *test = open_test_match(&rules, 2, 0);
    struct raim_client *client = join(test, 0, "runner");
    for (int i = 0; i < 200; i++)
        tick(test);
    const uint64_t late = rejected(test, RAIM_REJECTED_INPUT_LATE);
    test->loss = 0.3;
    for (int i = 0; i < 500; i++)
        tick(test);
    assert_int_equal(rejected(test, RAIM_REJECTED_INPUT_LATE), late);
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_PLAYING);
    close_test_match(test);
}

static size_t write_input(uint8_t *bytes, uint32_t at, bool has_snapshot, uint32_t snapshot)
{
    const struct raim_input_message message = {
        .tick = at, .has_snapshot = has_snapshot, .snapshot = snapshot, .count = 1};
    return raim_input_write(&message, bytes, RAIM_MAX_MESSAGE_BYTES);
}

TEST(hostile_inputs_and_acks_are_rejected_and_counted)
{
    const raim_rules rules = raim_rules_default();
    struct test_match *test = open_test_match(&rules, 2, 0);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    join(test, 0, "honest");
    for (int i = 0; i < 100; i++)
        tick(test);
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
    for (int i = 0; i < 100; i++)
        tick(test);
    assert_int_equal(raim_client_get_state(test->clients[0]), RAIM_CLIENT_PLAYING);
    close_test_match(test);
}

TEST(a_repetition_cannot_change_an_input)
{
    const raim_rules rules = raim_rules_default();
    struct test_match *test = open_test_match(&rules, 1, 0);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client *client = join(test, 0, "runner");
    for (int i = 0; i < 5; i++)
        tick(test);
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
    close_test_match(test);
}

TEST(keys_are_released_when_inputs_stop)
{
    const raim_rules rules = raim_rules_default();
    struct test_match *test = open_test_match(&rules, 1, 0);
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
    close_test_match(test);
}

TEST(random_bytes_harm_nobody)
{
    const raim_rules rules = raim_rules_default();
    struct test_match *test = open_test_match(&rules, 4, 0);
    struct raim_client *honest = join(test, 0, "honest");
    for (int i = 0; i < 20000; i++) {
        uint8_t bytes[64];
        const size_t size = (size_t)chance_int(0, 63);
        for (size_t j = 0; j < size; j++)
            bytes[j] = (uint8_t)chance_int(0, 255);
        if (size > 0)
            bytes[0] = (uint8_t)((bytes[0] & 0xf0) | chance_int(0, 9)); // a kind, mostly
        if (i % 50 == 0)
            connect(test, 1);
        to_match(test, 1, chance_int(0, 1) != 0, bytes, size);
        if (i % 20 == 0)
            tick(test);
    }
    assert_int_equal(raim_client_get_state(honest), RAIM_CLIENT_PLAYING);
    assert_int_equal(raim_client_get_stats(honest)->decode_errors, 0);
    assert_true(rejected(test, RAIM_REJECTED_MALFORMED) > 1000);
    close_test_match(test);
}
