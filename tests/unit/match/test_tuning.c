// SPDX-License-Identifier: MIT
// Tuning: settings that change at once while a match runs, and those of the next round.
#include "seat_fixture.h"

enum { ROUND_TICKS = 60, BREAK_TICKS = 30 };

static struct raim_match_def round_def(void)
{
    struct raim_match_def def = usual_def();
    def.tuning.round_s = ROUND_TICKS / 60.0;
    def.tuning.break_s = BREAK_TICKS / 60.0;
    return def;
}

static struct raim_match_round round_of(const struct table *table)
{
    return raim_match_round(table->match);
}

TEST(fewer_places_turn_away_who_comes_and_nobody_who_is_in)
{
    struct raim_match_def def = usual_def();
    def.tuning.max_spectators = 2;
    struct table *table = open_table(def);
    for (uint32_t handle = 0; handle < 3; handle++)
        play(table, handle);
    watch(table, 3, 0);
    ticks(table, 5);
    struct raim_match_tuning tuning = def.tuning;
    tuning.max_players = 2;
    tuning.max_spectators = 1;
    raim_match_tune(table->match, &tuning);
    const struct seat *fourth = play(table, 4), *second = watch(table, 5, 0);
    ticks(table, 5);
    assert_int_equal(counts(table).players, 3);
    assert_int_equal(counts(table).spectators, 1);
    assert_int_equal(fourth->goodbye.reason, RAIM_REASON_FULL);
    assert_string_equal(fourth->goodbye.text, "the arena is full: 3 of 2 players");
    assert_int_equal(second->goodbye.reason, RAIM_REASON_FULL);
    stand_up(table, 0);
    stand_up(table, 4);
    play(table, 4);
    ticks(table, 5);
    assert_int_equal(table->seats[4].goodbye.reason, RAIM_REASON_FULL);
    tuning.max_players = 8;
    tuning.max_spectators = 2;
    raim_match_tune(table->match, &tuning);
    stand_up(table, 4);
    stand_up(table, 5);
    play(table, 4);
    watch(table, 5, 0);
    ticks(table, 5);
    assert_int_equal(counts(table).players, 3);
    assert_int_equal(counts(table).spectators, 2);
    close_table(table);
}

TEST(tuned_rounds_and_breaks_are_those_to_come)
{
    struct raim_match_def def = round_def();
    struct table *table = open_table(def);
    const struct seat *seat = play(table, 0);
    ticks(table, 10);
    struct raim_match_tuning tuning = def.tuning;
    tuning.round_s = 0.5;
    tuning.break_s = 0.25;
    tuning.score_limit = 7;
    strcpy(tuning.motd, "tuned");
    raim_match_tune(table->match, &tuning);
    assert_int_equal(round_of(table).left_ticks, ROUND_TICKS - 10);
    assert_int_equal(round_of(table).score_limit, 0);
    ticks(table, ROUND_TICKS - 10);
    assert_int_equal(round_of(table).phase, RAIM_PHASE_BREAK);
    assert_int_equal(round_of(table).left_ticks, 15);
    tuning.break_s = 9;
    raim_match_tune(table->match, &tuning);
    ticks(table, 16);
    assert_int_equal(round_of(table).left_ticks, 29);
    assert_int_equal(round_of(table).score_limit, 7);
    assert_int_equal(seat->phase.score_limit, 7);
    const struct seat *second = play(table, 1);
    ticks(table, 2);
    assert_string_equal(second->welcome.motd, "tuned");
    close_table(table);
}

TEST(a_tuned_grace_holds_at_once)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = 100;
    struct table *table = open_table(def);
    play(table, 0);
    play(table, 1);
    ticks(table, 5);
    raim_match_disconnect(table->match, 0);
    ticks(table, 60);
    assert_int_equal(counts(table).away, 1);
    struct raim_match_tuning tuning = def.tuning;
    tuning.resume_grace_s = 2;
    raim_match_tune(table->match, &tuning);
    ticks(table, 59);
    assert_int_equal(counts(table).away, 1);
    ticks(table, 2);
    assert_int_equal(counts(table).away, 0);
    const struct seat *seat = play(table, 2);
    ticks(table, 3);
    assert_int_equal(seat->welcome.grace_s, 2);
    close_table(table);
}
