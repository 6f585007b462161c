// SPDX-License-Identifier: MIT
// What a break and a pause freeze, and how they end.
#include "round_fixture.h"

static uint32_t bullets_of(const struct test_match *test)
{
    const raim_bullet *bullets = raim_world_bullets_const(test->match->world);
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < test->match->world->max_bullets; slot++)
        count += bullets[slot].owner != RAIM_NOBODY;
    return count;
}

// Nothing moves, flies or falls, and clients see that they do not steer.
static void assert_frozen_for(struct test_match *test, int count)
{
    const uint32_t slots = test->match->world->max_players;
    const raim_player *players = raim_world_players_const(test->match->world);
    raim_player before[SLOTS];
    while (count-- > 0) {
        memcpy(before, players, slots * sizeof *players);
        tick(test);
        assert_int_equal(bullets_of(test), 0);
        for (uint32_t slot = 0; slot < slots; slot++) {
            const raim_player *player = &players[slot];
            assert_int_equal(player->score, before[slot].score);
            assert_int_equal(player->deaths, before[slot].deaths);
            assert_int_equal(player->shots, before[slot].shots);
            if (player->state != RAIM_PLAYER_ALIVE || before[slot].state != RAIM_PLAYER_ALIVE)
                continue;
            assert_true(player->position.x == before[slot].position.x &&
                        player->position.y == before[slot].position.y);
            assert_int_equal(player->aim, before[slot].aim);
        }
    }
}

static void assert_steers(struct test_match *test, uint32_t handle, bool steers)
{
    struct peer *peer = &test->peers[handle];
    const uint32_t now = raim_match_tick(test->match);
    const struct raim_wire_frame *frame = frame_at(peer, now);
    if (frame == NULL)
        return; // everything is as predicted
    const uint32_t slot = test->match->connections[handle].slot;
    const raim_wire_player *truth =
        &raim_history_at(&test->match->interest.history, now)->players[slot];
    assert_int_equal(frame->self.steers, steers);
    if (raim_set_has(frame->seen_players, slot))
        assert_int_equal(frame->players[slot].aim, steers ? 0 : truth->aim);
}

TEST(in_a_break_nobody_moves_fires_or_is_hit)
{
    for (int i = 0; i < 20; i++) {
        struct raim_match_def def = round_def();
        def.bots = 8;
        def.tuning.round_s = chance_between(2, 6);
        def.tuning.break_s = 1;
        struct test_match *test = open_test_match(def);
        for (uint32_t handle = 0; handle < 8; handle++)
            play(test, handle);
        while (round_of(test).phase == RAIM_PHASE_PLAY)
            tick(test);
        assert_int_equal(bullets_of(test), 0);
        assert_steers(test, 0, false);
        for (int left = 60; left > 0; left--) {
            assert_frozen_for(test, 1);
            assert_steers(test, 0, false);
        }
        tick(test);
        assert_int_equal(round_of(test).round, 2);
        assert_steers(test, 0, true);
        uint32_t flown = 0;
        for (int left = 60; left > 0; left--) {
            tick(test);
            assert_steers(test, 0, true);
            flown += bullets_of(test);
        }
        assert_true(flown > 0);
        close_test_match(test);
    }
}

TEST(a_pause_stops_the_clock_and_everybody)
{
    struct test_match *test = open_test_match(with_bots(round_def(), 4));
    const struct peer *peer = play(test, 0);
    for (uint32_t handle = 1; handle < 8; handle++)
        play(test, handle);
    ticks(test, ROUND_TICKS - 10);
    raim_match_pause(test->match, true);
    tick(test);
    assert_int_equal(bullets_of(test), 0);
    assert_int_equal(peer->phase.phase, RAIM_PHASE_PAUSED);
    assert_false(peer->phase.has_end);
    assert_steers(test, 0, false);
    ticks(test, 20);
    assert_frozen_for(test, 200);
    assert_int_equal(round_of(test).phase, RAIM_PHASE_PAUSED);
    assert_int_equal(round_of(test).left_ticks, 10);
    raim_match_pause(test->match, false);
    tick(test);
    assert_steers(test, 0, true);
    assert_int_equal(peer->phase.phase, RAIM_PHASE_PLAY);
    assert_int_equal(peer->phase.round, 1);
    assert_int_equal(peer->phase.end_tick, raim_match_tick(test->match) + 9);
    ticks(test, 9);
    assert_int_equal(round_of(test).phase, RAIM_PHASE_BREAK);
}

TEST(a_pause_in_a_break_goes_on_with_the_break)
{
    struct test_match *test = open_test_match(round_def());
    const struct peer *peer = play(test, 0);
    play(test, 1);
    ticks(test, 3);
    player_of(test, 1)->score = 5;
    ticks(test, ROUND_TICKS - 3 + 10);
    const struct raim_wire_phase before = peer->phase;
    assert_int_equal(before.phase, RAIM_PHASE_BREAK);
    raim_match_pause(test->match, true);
    ticks(test, 100);
    assert_int_equal(peer->phase.phase, RAIM_PHASE_PAUSED);
    raim_match_pause(test->match, false);
    tick(test);
    assert_int_equal(peer->phase.phase, RAIM_PHASE_BREAK);
    assert_int_equal(peer->phase.winner, player_of(test, 1)->id);
    assert_int_equal(peer->phase.winner, before.winner);
    assert_int_equal(peer->phase.end_tick, before.end_tick + 100);
    ticks(test, BREAK_TICKS - 11);
    // Paused in the last moment, the next round waits.
    assert_true(raim_match_is_round_due(test->match));
    raim_match_pause(test->match, true);
    assert_false(raim_match_is_round_due(test->match));
    ticks(test, 50);
    assert_int_equal(round_of(test).round, 1);
    raim_match_pause(test->match, false);
    assert_true(raim_match_is_round_due(test->match));
    tick(test);
    assert_int_equal(peer->phase.phase, RAIM_PHASE_PLAY);
    assert_int_equal(peer->phase.round, 2);
}

TEST(a_pause_that_ends_before_the_next_tick_was_none)
{
    struct test_match *test = open_test_match(usual_def());
    const struct peer *peer = play(test, 0);
    while (bullets_of(test) == 0)
        tick(test);
    for (int i = 0; i < 10000; i++) {
        raim_match_pause(test->match, true);
        raim_match_pause(test->match, false);
    }
    assert_true(bullets_of(test) > 0);
    tick(test);
    assert_int_equal(count_received(peer, RAIM_WIRE_PHASE), 0);
}
