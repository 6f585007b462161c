// SPDX-License-Identifier: MIT
// Tuning: settings that change at once while a match runs, and those of the next round.
#include "round_fixture.h"

TEST(fewer_places_turn_away_who_comes_and_nobody_who_is_in)
{
    struct raim_match_def def = usual_def();
    def.tuning.max_spectators = 2;
    struct test_match *test = open_test_match(def);
    for (uint32_t handle = 0; handle < 3; handle++)
        play(test, handle);
    watch(test, 3, 0);
    ticks(test, 5);
    struct raim_match_tuning tuning = def.tuning;
    tuning.max_players = 2;
    tuning.max_spectators = 1;
    raim_match_tune(test->match, &tuning);
    const struct peer *fourth = play(test, 4), *second = watch(test, 5, 0);
    ticks(test, 5);
    assert_int_equal(counts(test).players, 3);
    assert_int_equal(counts(test).spectators, 1);
    assert_int_equal(fourth->goodbye.reason, RAIM_REASON_FULL);
    assert_string_equal(fourth->goodbye.text, "the arena is full: 3 of 2 players");
    assert_int_equal(second->goodbye.reason, RAIM_REASON_FULL);
    leave(test, 0);
    leave(test, 4);
    play(test, 4);
    ticks(test, 5);
    assert_int_equal(test->peers[4].goodbye.reason, RAIM_REASON_FULL);
    tuning.max_players = 8;
    tuning.max_spectators = 2;
    raim_match_tune(test->match, &tuning);
    leave(test, 4);
    leave(test, 5);
    play(test, 4);
    watch(test, 5, 0);
    ticks(test, 5);
    assert_int_equal(counts(test).players, 3);
    assert_int_equal(counts(test).spectators, 2);
}

TEST(tuned_rounds_and_breaks_are_those_to_come)
{
    struct raim_match_def def = round_def();
    struct test_match *test = open_test_match(def);
    const struct peer *peer = play(test, 0);
    ticks(test, 10);
    struct raim_match_tuning tuning = def.tuning;
    tuning.round_s = 0.5;
    tuning.break_s = 0.25;
    tuning.score_limit = 7;
    strcpy(tuning.motd, "tuned");
    raim_match_tune(test->match, &tuning);
    assert_int_equal(round_of(test).left_ticks, ROUND_TICKS - 10);
    assert_int_equal(round_of(test).score_limit, 0);
    ticks(test, ROUND_TICKS - 10);
    assert_int_equal(round_of(test).phase, RAIM_PHASE_BREAK);
    assert_int_equal(round_of(test).left_ticks, 15);
    tuning.break_s = 9;
    raim_match_tune(test->match, &tuning);
    ticks(test, 16);
    assert_int_equal(round_of(test).left_ticks, 29);
    assert_int_equal(round_of(test).score_limit, 7);
    assert_int_equal(peer->phase.score_limit, 7);
    const struct peer *second = play(test, 1);
    ticks(test, 2);
    assert_string_equal(second->welcome.motd, "tuned");
}

TEST(a_tuned_grace_holds_at_once)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = 100;
    struct test_match *test = open_test_match(def);
    play(test, 0);
    play(test, 1);
    ticks(test, 5);
    raim_match_disconnect(test->match, 0);
    ticks(test, 60);
    assert_int_equal(counts(test).away, 1);
    struct raim_match_tuning tuning = def.tuning;
    tuning.resume_grace_s = 2;
    raim_match_tune(test->match, &tuning);
    ticks(test, 59);
    assert_int_equal(counts(test).away, 1);
    ticks(test, 2);
    assert_int_equal(counts(test).away, 0);
    const struct peer *peer = play(test, 2);
    ticks(test, 3);
    assert_int_equal(peer->welcome.grace_s, 2);
}
