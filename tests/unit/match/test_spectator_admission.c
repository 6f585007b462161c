// SPDX-License-Identifier: MIT
// Spectators: who may watch, and that their inputs and messages have no effect.
#include "match_internal.h"
#include "peer_fixture.h"

TEST(spectators_have_places_of_their_own)
{
    struct test_match *test =
        open_test_match(live(with_spectators(with_players(usual_def(), 1), 2)));
    watch(test, 0, 0);
    watch(test, 1, 0);
    play(test, 2);
    struct peer *third = watch(test, 3, 0), *second_player = play(test, 4);
    tick(test);
    assert_true(third->is_over && second_player->is_over);
    assert_int_equal(third->goodbye.reason, RAIM_REASON_FULL);
    assert_string_equal(third->goodbye.text, "the arena is full: 2 of 2 spectators");
    assert_string_equal(second_player->goodbye.text, "the arena is full: 1 of 1 players");
    assert_int_equal(rejected(test, RAIM_REJECTED_FULL), 2);
    assert_true(counts(test).spectators == 2 && counts(test).players == 1);
    // A spectator that leaves or is lost frees its slot exactly once.
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_client_goodbye left = {.reason = RAIM_REASON_LEFT};
    to_match(test, 0, true, bytes, raim_client_goodbye_write(&left, bytes, sizeof bytes));
    assert_int_equal(counts(test).spectators, 1);
    tick(test);
    leave(test, 0);
    leave(test, 3);
    assert_int_equal(counts(test).spectators, 1);
    struct peer *fourth = watch(test, 3, 0);
    ticks(test, 3);
    assert_true(fourth->any);
}

static void watch_from(struct test_match *test, uint32_t handle, uint64_t network, uint64_t origin)
{
    const struct raim_hello hello = {
        .version = RAIM_PROTOCOL_VERSION, .watch = true, .name = "spectator"};
    join_from(test, handle, origin, network, &hello);
    tick(test);
}

TEST(the_address_with_the_most_spectators_makes_arena)
{
    struct test_match *test = open_test_match(with_spectators(usual_def(), 4));
    for (uint32_t i = 0; i < 4; i++)
        watch_from(test, i, 1, 10);
    watch_from(test, 4, 1, 10);
    assert_int_equal(test->peers[4].goodbye.reason, RAIM_REASON_FULL);
    leave(test, 4);
    watch_from(test, 4, 2, 20);
    assert_int_equal(counts(test).spectators, 4);
    assert_false(test->peers[4].is_over);
    assert_int_equal(test->peers[3].goodbye.reason, RAIM_REASON_FULL);
    assert_string_equal(test->peers[3].goodbye.text,
                        "the places of spectators are full, and others of your address or network "
                        "watch, too");
    watch_from(test, 5, 1, 10); // comes back
    assert_int_equal(test->peers[5].goodbye.reason, RAIM_REASON_FULL);
    assert_int_equal(counts(test).spectators, 4);
}

// Spectators of a network, or of one of its addresses.
static uint32_t count_from(const struct test_match *test, uint64_t network, uint64_t origin)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < PEERS; i++) {
        const struct raim_connection *client = &test->match->connections[i];
        count += raim_is_spectator(client) && client->network == network &&
                 (origin == 0 || client->origin == origin);
    }
    return count;
}

// Whoever is rejected has, with itself, as many as any other network and as any address of its own.
TEST(places_are_shared_among_networks_and_their_addresses)
{
    struct test_match *test = open_test_match(with_spectators(usual_def(), 6));
    uint32_t turned_away = 0, evicted = 0;
    for (int round = 0; round < 2000; round++) {
        const uint32_t handle = (uint32_t)chance_int(0, 7);
        if (test->peers[handle].open) {
            if (test->peers[handle].is_over || chance_int(0, 9) == 0)
                leave(test, handle);
            continue;
        }
        const uint64_t network = (uint64_t)chance_int(1, 3);
        const uint64_t origin = 10 * network + (uint64_t)chance_int(0, 2);
        const uint32_t before = counts(test).spectators;
        watch_from(test, handle, network, origin);
        const bool is_rejected = test->peers[handle].is_over;
        assert_int_equal(counts(test).spectators, before < 6 ? before + 1 : 6);
        assert_true(before == 6 || !is_rejected);
        turned_away += is_rejected;
        evicted += !is_rejected && before == 6;
        for (uint64_t other = 1; is_rejected && other <= 3; other++)
            assert_true(count_from(test, other, 0) <= count_from(test, network, 0) + 1);
        for (uint64_t other = 10 * network; is_rejected && other < 10 * network + 3; other++)
            assert_true(count_from(test, network, other) <= count_from(test, network, origin) + 1);
    }
    assert_true(turned_away > 50 && evicted > 50);
}

static void watch_and_press(uint32_t delay_ticks)
{
    struct test_match *test = open_test_match(with_delay(usual_def(), delay_ticks / 60.0));
    struct peer *player = play(test, 0);
    ticks(test, 3);
    player->is_over = true; // it sends no more inputs
    struct peer *spectator = watch(test, 1, player->welcome.player);
    ticks(test, 60);
    const uint32_t slot = player->welcome.player % RAIM_WIRE_PLAYERS;
    const raim_player *self = &raim_world_players_const(raim_match_world(test->match))[slot];
    const raim_player before = *self;
    const struct raim_match_counts counted = counts(test);
    for (int i = 0; i < 200; i++) {
        const uint32_t now = raim_match_tick(test->match);
        tick(test);
        send_input(test, 1, now - 5, false, 0); // for no tick at all
        send_input(test, 1, now + 500, false, 0);
    }
    assert_true(spectator->any);
    assert_memory_equal(&self->position, &before.position, sizeof before.position);
    assert_int_equal(self->aim, before.aim);
    assert_int_equal(self->shots, before.shots);
    assert_memory_equal(counted.rejected, counts(test).rejected, sizeof counted.rejected);
}

TEST(a_spectator_steers_nobody)
{
    watch_and_press(0);
    watch_and_press(DELAY_TICKS);
}

static void watch_and_harm(uint32_t delay_ticks)
{
    struct test_match *test = open_test_match(with_delay(usual_def(), delay_ticks / 60.0));
    play(test, 0);
    struct peer *spectator = watch(test, 1, 0);
    ticks(test, 300);
    const uint32_t now = raim_match_tick(test->match), seen = now - delay_ticks;
    // Snapshots that it was never sent: of the future, and of ticks that it does not see yet.
    send_input(test, 1, now, true, now + 1);
    send_input(test, 1, now, true, seen + 0x7ffe);
    send_input(test, 1, now, true, seen + 1);
    send_input(test, 1, now, true, spectator->newest + 1);
    assert_int_equal(rejected(test, RAIM_REJECTED_ACK), 4);
    // Old ones are ignored.
    send_input(test, 1, now, true, seen - 100);
    assert_int_equal(rejected(test, RAIM_REJECTED_ACK), 4);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_hello again = {
        .version = RAIM_PROTOCOL_VERSION, .watch = true, .name = "again"};
    to_match(test, 1, true, bytes, raim_hello_write(&again, bytes, sizeof bytes));
    assert_int_equal(rejected(test, RAIM_REJECTED_UNEXPECTED), 1);
    to_match(test, 1, false, (const uint8_t[]){RAIM_MESSAGE_INPUT << 1, 1}, 2);
    assert_int_equal(rejected(test, RAIM_REJECTED_MALFORMED), 1);
    assert_int_equal(counts(test).spectators, 1);
    ticks(test, 100);
    assert_true(spectator->newest + delay_ticks + 10 > raim_match_tick(test->match));
}

TEST(hostile_spectators_are_rejected_and_counted)
{
    watch_and_harm(0);
    watch_and_harm(DELAY_TICKS);
}

TEST(many_come_and_go_and_are_counted_right)
{
    struct test_match *test =
        open_test_match(with_delay(with_spectators(with_bots(usual_def(), 3), 5), 0.1));
    for (int i = 0; i < 4000; i++) {
        const uint32_t handle = (uint32_t)chance_int(0, PEERS - 1);
        if (test->peers[handle].open)
            leave(test, handle);
        else if (chance_int(0, 2) == 0)
            play(test, handle);
        else
            watch(test, handle, (uint32_t)chance_int(0, 1) * (uint32_t)chance_int(0, 65535));
        if (chance_int(0, 2) == 0)
            tick(test);
        if (i % 400 == 399) {
            raim_match_shutdown(test->match);
            deliver(test);
            assert_true(counts(test).players == 0 && counts(test).spectators == 0);
        }
        uint32_t playing = 0, watching = 0;
        for (uint32_t j = 0; j < PEERS; j++) {
            const struct peer *peer = &test->peers[j];
            const bool in = peer->open && peer->welcome_sent && !peer->is_over;
            playing += in && peer->welcome.player != 0;
            watching += in && peer->welcome.player == 0;
        }
        // Clients that joined since the last tick have their player already, but no WELCOME yet.
        assert_true(counts(test).players >= playing && counts(test).players <= 8);
        assert_true(counts(test).spectators >= watching && counts(test).spectators <= 5);
    }
    tick(test);
    for (uint32_t i = 0; i < PEERS; i++)
        leave(test, i);
    assert_true(counts(test).players == 0 && counts(test).spectators == 0);
    assert_int_equal(counts(test).bots, 3);
}
