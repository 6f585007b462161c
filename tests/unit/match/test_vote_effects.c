// SPDX-License-Identifier: MIT
// What votes do: kick, mute, spectate, restart, change the map, extend and pause.
#include "vote_fixture.h"

TEST(who_leaves_before_the_end_meets_the_result_on_return)
{
    struct test_match *test = open_vote(vote_def(), 3);
    call_on(test, 0, RAIM_VOTE_KICK, 2);
    ticks(test, 2);
    assert_int_equal(raim_match_vote_target(test->match), 2);
    leave(test, 2);
    ticks(test, 2);
    assert_int_equal(raim_match_vote_target(test->match), UINT32_MAX);
    join_voter(test, 5, 102, "C again");
    ticks(test, 8);
    cast_vote(test, 1, RAIM_VOTE_YES);
    ticks(test, 20);
    assert_int_equal(take_outcome(test), RAIM_VOTE_PASSED);
    assert_goodbye(&test->peers[5], RAIM_REASON_KICKED, NULL);
}

TEST(a_resumed_session_keeps_its_choice_and_its_kick)
{
    struct test_match *test = open_vote(with_grace(vote_def(), 60), 4);
    const struct raim_welcome welcomes[] = {test->peers[1].welcome, test->peers[3].welcome};
    call_on(test, 0, RAIM_VOTE_KICK, 3);
    cast_vote(test, 1, RAIM_VOTE_NO);
    ticks(test, 20);
    for (uint32_t i = 1; i <= 3; i += 2)
        leave(test, i);
    ticks(test, 20);
    assert_int_equal(test->match->votes.running.tally.no, 1);
    for (uint32_t i = 1; i <= 3; i += 2)
        resume(test, 5 + i, welcomes[i / 2].token);
    ticks(test, 40);
    assert_int_equal(test->peers[6].vote_reports[RAIM_VOTE_TALLY].choice, RAIM_VOTE_NO);
    assert_int_equal(raim_match_vote_target(test->match), 8);
    cast_vote(test, 2, RAIM_VOTE_YES);
    ticks(test, 20);
    assert_int_equal(take_outcome(test), RAIM_VOTE_PASSED);
    assert_int_equal(test->peers[8].goodbye.reason, RAIM_REASON_KICKED);
}

TEST(a_vote_mutes_for_a_while_and_on_return)
{
    struct test_match *test = open_vote(with_penalty(vote_def(), 1), 3);
    call_on(test, 0, RAIM_VOTE_MUTE, 2);
    cast_vote(test, 1, RAIM_VOTE_YES);
    assert_int_equal(await_outcome(test), RAIM_VOTE_PASSED);
    say(test, 2, "hello");
    say(test, 1, "hello");
    assert_int_equal(rejected(test, RAIM_REJECTED_MUTED), 1);
    leave(test, 2);
    join_voter(test, 2, 102, "C again");
    ticks(test, 8);
    say(test, 2, "hello");
    assert_int_equal(rejected(test, RAIM_REJECTED_MUTED), 2);
    ticks(test, 61 * 60);
    say(test, 2, "hello");
    assert_int_equal(rejected(test, RAIM_REJECTED_MUTED), 2);
}

TEST(a_vote_makes_a_player_watch_for_a_while)
{
    struct test_match *test = open_vote(with_penalty(vote_def(), 1), 3);
    call_on(test, 0, RAIM_VOTE_SPECTATE, 2);
    cast_vote(test, 1, RAIM_VOTE_YES);
    assert_int_equal(await_outcome(test), RAIM_VOTE_PASSED);
    ticks(test, 2);
    const char *text = "voted to watch: join as a spectator, or play again in 1 minutes";
    assert_string_equal(test->peers[2].goodbye.text, text);
    leave(test, 2);
    join_voter(test, 2, 102, "C again");
    ticks(test, 2);
    assert_goodbye(&test->peers[2], RAIM_REASON_KICKED, text);
    leave(test, 2);
    watch(test, 2, 0);
    raim_match_set_origin(test->match, 2, 102, 0);
    ticks(test, 8);
    assert_int_equal(counts(test).spectators, 1);
    ticks(test, 61 * 60);
    join_voter(test, 7, 102, "C at last");
    ticks(test, 8);
    assert_int_equal(counts(test).players, 3);
}

static void pass(struct test_match *test, const struct raim_vote_subject *subject)
{
    call_vote(test, 0, subject);
    cast_vote(test, 1, RAIM_VOTE_YES);
    ticks(test, 1);
    assert_int_equal(take_outcome(test), RAIM_VOTE_PASSED);
}

TEST(a_round_restarts_on_its_map)
{
    struct test_match *test = open_vote(vote_def(), 2);
    raim_match_set_next_map(test->match, "ruins");
    pass(test, &restart_vote);
    assert_int_equal(raim_match_round(test->match).phase, RAIM_MATCH_BREAK);
    assert_true(raim_match_replays_map(test->match));
    ticks(test, 10);
    assert_string_equal(test->peers[0].phase.next_map, "");
    ticks(test, 60);
    assert_int_equal(raim_match_round(test->match).round, 2);
    assert_false(raim_match_replays_map(test->match));
    ticks(test, CALL_DELAY_TICKS);
    pass(test, &(struct raim_vote_subject){.kind = RAIM_VOTE_NEXTMAP});
    assert_int_equal(raim_match_round(test->match).phase, RAIM_MATCH_BREAK);
    assert_false(raim_match_replays_map(test->match));
    ticks(test, 10);
    assert_string_equal(test->peers[0].phase.next_map, "ruins");
    assert_call_rejected(test, 1, restart_vote, RAIM_VOTE_NOT_NOW); // in a break
}

TEST(a_round_is_extended_three_times)
{
    const struct raim_vote_subject extend = {.kind = RAIM_VOTE_EXTEND, .minutes = 10};
    struct test_match *test = open_vote(vote_def(), 2);
    for (int i = 0; i < 3; i++) {
        const uint32_t before = raim_match_round(test->match).left_ticks;
        pass(test, &extend);
        assert_int_equal(raim_match_round(test->match).left_ticks, before - 1 + 36000);
        ticks(test, CALL_DELAY_TICKS + 5);
        assert_int_equal(test->peers[1].phase.end_tick,
                         raim_match_tick(test->match) + raim_match_round(test->match).left_ticks);
        assert_int_equal(test->peers[1].phase.round, 1);
    }
    assert_call_rejected(test, 0, extend, RAIM_VOTE_NOT_NOW);
}

TEST(a_pause_by_vote_ends_by_vote_or_after_two_minutes)
{
    struct test_match *test = open_vote(vote_def(), 2);
    pass(test, &pause_vote);
    ticks(test, CALL_DELAY_TICKS);
    assert_int_equal(raim_match_round(test->match).phase, RAIM_MATCH_PAUSED);
    pass(test, &pause_vote);
    ticks(test, CALL_DELAY_TICKS);
    assert_int_equal(raim_match_round(test->match).phase, RAIM_MATCH_PLAY);
    pass(test, &pause_vote);
    ticks(test, 119 * 60);
    assert_int_equal(raim_match_round(test->match).phase, RAIM_MATCH_PAUSED);
    ticks(test, 61);
    assert_int_equal(raim_match_round(test->match).phase, RAIM_MATCH_PLAY);
    raim_match_pause(test->match, true);
    ticks(test, 10);
    assert_call_rejected(test, 0, pause_vote, RAIM_VOTE_NOT_NOW); // it is the operator's
}

TEST(a_vote_is_moot_when_the_round_ends_before)
{
    struct raim_match_def def = vote_def();
    def.tuning.round_s = 2;
    struct test_match *test = open_vote(def, 4);
    call_vote(test, 0, &(struct raim_vote_subject){.kind = RAIM_VOTE_EXTEND, .minutes = 1});
    ticks(test, 125);
    assert_int_equal(take_outcome(test), RAIM_VOTE_MOOT);
}

TEST(a_paused_vote_survives_a_checkpoint_and_ends_after_two_minutes)
{
    struct test_match *test = open_vote(vote_def(), 2);
    pass(test, &pause_vote);
    ticks(test, 10);
    call_vote(test, 1, &pause_vote);
    ticks(test, 2);
    restart(test);
    assert_false(is_vote_running(test)); // a running vote does not
    ticks(test, 121 * 60);
    assert_int_equal(raim_match_round(test->match).phase, RAIM_MATCH_PLAY);
}

TEST(a_vote_goes_on_with_the_match_that_succeeds)
{
    struct test_match *test = open_vote(vote_def(), 3);
    call_on(test, 0, RAIM_VOTE_KICK, 2);
    ticks(test, 20);
    struct raim_match *next = make_successor(test);
    raim_match_transfer(next, test->match, false);
    go_on_with(test, next);
    ticks(test, 40);
    assert_true(is_vote_running(test));
    assert_int_equal(test->peers[1].vote_counts[RAIM_VOTE_BEGAN], 2);
    assert_int_equal(test->peers[1].vote_reports[RAIM_VOTE_BEGAN].subject.player,
                     player_of(test, 2));
    cast_vote(test, 1, RAIM_VOTE_YES);
    ticks(test, 20);
    assert_int_equal(take_outcome(test), RAIM_VOTE_PASSED);
    assert_true(test->peers[2].is_over);
}
