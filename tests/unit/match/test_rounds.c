// SPDX-License-Identifier: MIT
// Rounds: how they end and begin, and what a break and a pause freeze.
#include "round_fixture.h"

static void assert_phase(const struct received_event *received, uint32_t tick,
                         enum raim_phase phase, uint32_t round, uint32_t end_tick)
{
    assert_int_equal(received->tick, tick);
    assert_int_equal(received->event.phase.phase, phase);
    assert_int_equal(received->event.phase.round, round);
    assert_true(received->event.phase.has_end);
    assert_int_equal(received->event.phase.end_tick, end_tick);
}

// A peer's scores and deaths of all players equal the world's.
static void assert_scores_agree(const struct test_match *test, const struct peer *peer)
{
    const raim_player *players = raim_world_players_const(test->match->world);
    for (uint32_t slot = 0; slot < test->match->world->max_players; slot++) {
        assert_int_equal(peer->roster[slot].player, players[slot].id);
        if (players[slot].id == RAIM_NOBODY)
            continue;
        assert_int_equal(peer->roster[slot].score, players[slot].score);
        assert_int_equal(peer->roster[slot].deaths, players[slot].deaths);
    }
}

TEST(the_clock_ends_a_round_and_the_break_after_it)
{
    struct test_match *test = open_test_match(round_def());
    const struct peer *peer = play(test, 0);
    assert_int_equal(round_of(test).phase, RAIM_PHASE_PLAY);
    assert_int_equal(round_of(test).round, 1);
    for (uint32_t left = ROUND_TICKS; left > 0; left--) {
        assert_true(round_of(test).has_end);
        assert_int_equal(round_of(test).left_ticks, left);
        assert_int_equal(round_of(test).phase, RAIM_PHASE_PLAY);
        tick(test);
    }
    for (uint32_t left = BREAK_TICKS; left > 0; left--) {
        assert_int_equal(round_of(test).phase, RAIM_PHASE_BREAK);
        assert_int_equal(round_of(test).left_ticks, left);
        assert_false(raim_match_is_round_due(test->match));
        tick(test);
    }
    assert_true(raim_match_is_round_due(test->match));
    tick(test);
    assert_false(raim_match_is_round_due(test->match));
    assert_int_equal(round_of(test).phase, RAIM_PHASE_PLAY);
    assert_int_equal(round_of(test).round, 2);
    assert_int_equal(round_of(test).left_ticks, ROUND_TICKS - 1);

    assert_int_equal(peer->welcome.phase.end_tick, ROUND_TICKS);
    assert_int_equal(count_received(peer, RAIM_WIRE_PHASE), 2);
    assert_phase(received_of(peer, RAIM_WIRE_PHASE, 0), ROUND_TICKS, RAIM_PHASE_BREAK, 1,
                 ROUND_TICKS + BREAK_TICKS);
    assert_phase(received_of(peer, RAIM_WIRE_PHASE, 1), ROUND_TICKS + BREAK_TICKS + 1,
                 RAIM_PHASE_PLAY, 2, 2 * ROUND_TICKS + BREAK_TICKS);
}

TEST(a_round_waits_for_its_first_player)
{
    struct test_match *test = open_test_match(live(round_def()));
    const struct peer *spectator = watch(test, 0, 0);
    ticks(test, 3 * ROUND_TICKS);
    assert_int_equal(round_of(test).round, 1);
    assert_int_equal(round_of(test).left_ticks, ROUND_TICKS);
    assert_false(spectator->welcome.phase.has_end);
    const uint32_t begin = raim_match_tick(test->match);
    play(test, 1);
    ticks(test, 2);
    assert_int_equal(count_received(spectator, RAIM_WIRE_PHASE), 1);
    const struct received_event *start = received_of(spectator, RAIM_WIRE_PHASE, 0);
    assert_true(start->event.phase.has_end);
    assert_int_equal(start->event.phase.end_tick, begin + ROUND_TICKS);
    say_goodbye(test, 1);
    ticks(test, 3 * (ROUND_TICKS + BREAK_TICKS)); // it ends, and the next one waits
    assert_int_equal(round_of(test).phase, RAIM_PHASE_PLAY);
    assert_int_equal(round_of(test).round, 2);
    assert_int_equal(round_of(test).left_ticks, ROUND_TICKS);
}

TEST(the_first_with_enough_points_ends_the_round_and_wins)
{
    struct raim_match_def def = usual_def();
    def.bots = 6;
    def.tuning.score_limit = 2;
    def.tuning.break_s = 1;
    struct test_match *test = open_test_match(def);
    const struct peer *peer = play(test, 0);
    for (int i = 0; i < 60 * 600 && round_of(test).phase == RAIM_PHASE_PLAY; i++)
        tick(test);
    assert_int_equal(count_received(peer, RAIM_WIRE_PHASE), 1);
    const struct received_event *end = received_of(peer, RAIM_WIRE_PHASE, 0);
    assert_int_equal(end->event.phase.score_limit, 2);
    assert_int_equal(end->event.phase.winner, round_of(test).winner);
    assert_int_equal(end->tick, raim_match_tick(test->match));
    const raim_player *players = raim_world_players_const(test->match->world);
    uint32_t winners = 0;
    for (uint32_t slot = 0; slot < test->match->world->max_players; slot++) {
        assert_true(players[slot].score <= 2);
        winners += players[slot].score == 2;
        if (players[slot].id != RAIM_NOBODY && players[slot].id == end->event.phase.winner)
            assert_int_equal(players[slot].score, 2);
    }
    assert_int_equal(end->event.phase.winner != RAIM_NOBODY, winners == 1);
    assert_scores_agree(test, peer);
}

TEST(nobody_wins_a_tie_or_without_a_point)
{
    const uint32_t scores[][4] = {{0, 0, 0, 3}, {2, 2, 1, 3}, {2, 3, 2, 1}, {1, 0, 1, 3},
                                  {0, 0, 4, 2}, {5, 0, 0, 0}, {3, 3, 4, 2}};
    for (size_t i = 0; i < sizeof scores / sizeof scores[0]; i++) {
        struct test_match *test = open_test_match(round_def());
        for (uint32_t handle = 0; handle < 3; handle++)
            play(test, handle);
        ticks(test, 3);
        for (uint32_t handle = 0; handle < 3; handle++) {
            player_of(test, handle)->score = scores[i][handle];
            player_of(test, handle)->shield_ticks = 1000;
        }
        ticks(test, ROUND_TICKS - 3);
        const uint32_t winner = scores[i][3];
        assert_int_equal(round_of(test).phase, RAIM_PHASE_BREAK);
        assert_int_equal(round_of(test).winner,
                         winner < 3 ? player_of(test, winner)->id : RAIM_NOBODY);
        assert_int_equal(test->peers[0].phase.winner, round_of(test).winner);
        close_test_match(test);
    }
}

TEST(a_break_names_the_map_of_the_next_round)
{
    struct raim_match_def def = round_def();
    def.tuning.break_s = 1;
    struct test_match *test = open_test_match(def);
    const struct peer *peer = play(test, 0);
    raim_match_set_next_map(test->match, "ruins");
    ticks(test, 10);
    assert_string_equal(peer->welcome.phase.next_map, "");
    while (round_of(test).phase == RAIM_PHASE_PLAY)
        tick(test);
    ticks(test, 2);
    assert_int_equal(peer->phase.phase, RAIM_PHASE_BREAK);
    assert_string_equal(peer->phase.next_map, "ruins");
    const struct peer *second = play(test, 1);
    ticks(test, 2);
    assert_string_equal(second->welcome.phase.next_map, "ruins");
    raim_match_pause(test->match, true);
    ticks(test, 2);
    assert_int_equal(peer->phase.phase, RAIM_PHASE_PAUSED);
    assert_string_equal(peer->phase.next_map, "");
    raim_match_pause(test->match, false);
    ticks(test, 2);
    assert_string_equal(peer->phase.next_map, "ruins");
    while (round_of(test).phase == RAIM_PHASE_BREAK)
        tick(test);
    ticks(test, 2);
    assert_string_equal(peer->phase.next_map, "");
}

TEST(a_round_begins_with_nothing_and_everybody_rises)
{
    struct raim_match_def def = round_def();
    def.tuning.resume_grace_s = 30;
    def.rules.respawn_delay = 20;
    struct test_match *test = open_test_match(def);
    for (uint32_t handle = 0; handle < 4; handle++)
        play(test, handle);
    ticks(test, ROUND_TICKS);
    for (uint32_t handle = 0; handle < 4; handle++) {
        player_of(test, handle)->score = 3;
        player_of(test, handle)->deaths = 4;
    }
    raim_player *fallen = player_of(test, 1), *away = player_of(test, 2);
    fallen->state = RAIM_PLAYER_DOWN;
    fallen->respawn_ticks = 1000;
    const uint8_t life = fallen->life, away_life = away->life;
    const raim_player_id away_id = away->id;
    raim_match_disconnect(test->match, 2);
    ticks(test, BREAK_TICKS);
    assert_int_equal(fallen->state, RAIM_PLAYER_DOWN);
    tick(test);
    assert_int_equal(round_of(test).round, 2);
    for (uint32_t handle = 0; handle < 4; handle++) {
        if (handle == 2)
            continue;
        assert_int_equal(player_of(test, handle)->state, RAIM_PLAYER_ALIVE);
        assert_int_equal(player_of(test, handle)->score, 0);
        assert_int_equal(player_of(test, handle)->deaths, 0);
        assert_true(player_of(test, handle)->shield_ticks > 0);
    }
    assert_int_equal(fallen->life, (uint8_t)(life + 1));
    ticks(test, 10);
    assert_int_equal(away->id, away_id);
    assert_int_equal(away->score, 0);
    assert_int_equal(away->state, RAIM_PLAYER_DOWN);
    assert_int_equal(away->life, away_life);
    assert_scores_agree(test, &test->peers[0]);
}

TEST(without_a_break_the_next_round_begins_at_once)
{
    struct raim_match_def def = round_def();
    def.tuning.break_s = 0;
    struct test_match *test = open_test_match(def);
    const struct peer *peer = play(test, 0);
    ticks(test, ROUND_TICKS);
    assert_true(raim_match_is_round_due(test->match));
    tick(test);
    assert_int_equal(count_received(peer, RAIM_WIRE_PHASE), 2);
    assert_phase(received_of(peer, RAIM_WIRE_PHASE, 0), ROUND_TICKS, RAIM_PHASE_BREAK, 1,
                 ROUND_TICKS);
    assert_phase(received_of(peer, RAIM_WIRE_PHASE, 1), ROUND_TICKS + 1, RAIM_PHASE_PLAY, 2,
                 2 * ROUND_TICKS);
    ticks(test, ROUND_TICKS - 1);
    assert_true(raim_match_is_round_due(test->match));
}

TEST(who_watches_late_is_welcomed_to_the_phase_that_it_sees)
{
    struct raim_match_def def = round_def();
    def.tuning.round_s = 2;
    def.tuning.break_s = 0.5;
    def.tuning.max_spectators = 4;
    struct test_match *test = open_test_match(def);
    play(test, 0);
    ticks(test, 130); // 120 of them played
    const struct peer *late = watch(test, 1, 0), *live = play(test, 2);
    ticks(test, 2);
    assert_int_equal(late->welcome.phase.phase, RAIM_PHASE_PLAY);
    assert_int_equal(late->welcome.phase.end_tick, 120);
    assert_int_equal(live->welcome.phase.phase, RAIM_PHASE_BREAK);
    // Then it is sent after its delay.
    while (raim_match_tick(test->match) < 120 + DELAY_TICKS) {
        assert_int_equal(late->phase.phase, RAIM_PHASE_PLAY);
        tick(test);
    }
    assert_int_equal(late->phase.phase, RAIM_PHASE_BREAK);
    // A spectator that joins now is delayed by as much.
    const struct peer *later = watch(test, 3, 0);
    ticks(test, 2);
    assert_int_equal(later->welcome.phase.phase, RAIM_PHASE_BREAK);
    assert_int_equal(later->welcome.phase.round, 1);
    assert_int_equal(live->phase.round, 2);
}

// The phase as a protocol client derives it.
static void assert_phase_agrees(const struct test_match *test, const struct peer *peer)
{
    const struct raim_match_round round = round_of(test);
    assert_int_equal(peer->phase.phase, round.phase);
    assert_int_equal(peer->phase.round, round.round);
    assert_int_equal(peer->phase.score_limit, round.score_limit);
    if (round.phase == RAIM_PHASE_PAUSED)
        return;
    assert_int_equal(peer->phase.has_end, round.has_end);
    if (round.has_end)
        assert_int_equal(peer->phase.end_tick, raim_match_tick(test->match) + round.left_ticks);
    if (round.phase == RAIM_PHASE_BREAK)
        assert_int_equal(peer->phase.winner, round.winner);
}

// All peers except delayed spectators.
static void play_and_compare(uint32_t delay_ticks)
{
    struct raim_match_def def = round_def();
    def.bots = 6;
    def.spectator_delay_s = delay_ticks / 60.0;
    def.tuning.score_limit = 3;
    def.tuning.max_spectators = 8;
    def.rules.respawn_delay = 0.1;
    def.rules.spawn_protection = 0;
    struct test_match *test = open_test_match(def);
    for (int i = 0; i < 3000; i++) {
        const uint32_t handle = (uint32_t)chance_int(0, PEERS - 1);
        if (chance_int(0, 29) == 0) {
            if (test->peers[handle].open)
                leave(test, handle);
            else if (chance_int(0, 2) > 0)
                play(test, handle);
            else
                watch(test, handle, 0);
        }
        if (chance_int(0, 99) == 0)
            raim_match_pause(test->match, chance_int(0, 3) == 0);
        if (chance_int(0, 199) == 0) {
            struct raim_match_tuning tuning = def.tuning;
            tuning.round_s = chance_between(0.001, 5);
            tuning.break_s = chance_int(0, 1) == 0 ? 0 : chance_between(0, 1);
            tuning.score_limit = (uint32_t)chance_int(0, 3);
            raim_match_tune(test->match, &tuning);
        }
        tick(test);
        for (uint32_t s = 0; s < PEERS; s++) {
            struct peer *peer = &test->peers[s];
            // The WELCOME contains the effects of its tick.
            if (!peer->welcome_sent || peer->is_over || peer->welcome.delay_ticks > 0)
                continue;
            assert_phase_agrees(test, peer);
            assert_scores_agree(test, peer);
        }
    }
    assert_true(counts(test).hits.total > 0);
    assert_true(round_of(test).round > 3);
    assert_int_equal(rejected(test, RAIM_REJECTED_ACK), 0);
    assert_int_equal(rejected(test, RAIM_REJECTED_MALFORMED), 0);
}

TEST(whatever_happens_everybody_knows_phase_and_scores)
{
    play_and_compare(0);
    play_and_compare(DELAY_TICKS);
}
