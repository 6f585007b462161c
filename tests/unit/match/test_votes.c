// SPDX-License-Identifier: MIT
// Votes: who may call one, and what clients receive.
#include "vote_fixture.h"

TEST(a_vote_is_told_counted_and_passes_when_it_is_certain)
{
    struct test_match *test = open_vote(vote_def(), 5);
    const struct peer *voter = &test->peers[1];
    assert_int_equal(voter->vote_counts[RAIM_VOTE_OFFER], 1);
    assert_int_equal(voter->vote_offer.kinds, RAIM_VOTE_EVERY_KIND);
    assert_string_equal(voter->vote_offer.maps[1], "ruins");
    call_on(test, 0, RAIM_VOTE_KICK, 4);
    ticks(test, 20);
    const struct raim_vote_report *began = &voter->vote_reports[RAIM_VOTE_BEGAN];
    assert_int_equal(voter->vote_counts[RAIM_VOTE_BEGAN], 1);
    assert_string_equal(began->caller_name, "A");
    assert_string_equal(began->target_name, "E");
    assert_string_equal(began->subject.reason, "spam");
    assert_int_equal(began->subject.player, player_of(test, 4));
    assert_in_range(began->left_ms, 4900, 5000);
    const struct raim_vote_report *tally = &voter->vote_reports[RAIM_VOTE_TALLY];
    assert_int_equal(tally->tally.yes, 1);
    assert_int_equal(tally->tally.electors, 4); // without the one it is about
    assert_int_equal(tally->tally.needed, 3);
    assert_int_equal(tally->choice, RAIM_VOTE_SILENT);
    cast_vote(test, 1, RAIM_VOTE_YES);
    cast_vote(test, 3, RAIM_VOTE_NO);
    cast_vote(test, 4, RAIM_VOTE_NO);
    ticks(test, 32);
    assert_int_equal(tally->tally.yes, 2);
    assert_int_equal(tally->tally.no, 1);
    assert_int_equal(tally->choice, RAIM_VOTE_YES);
    assert_true(is_vote_running(test));
    cast_vote(test, 2, RAIM_VOTE_YES);
    ticks(test, 20);
    assert_int_equal(take_outcome(test), RAIM_VOTE_PASSED);
    assert_int_equal(take_outcome(test), 0);
    assert_int_equal(voter->vote_reports[RAIM_VOTE_ENDED].outcome, RAIM_VOTE_PASSED);
    assert_int_equal(voter->vote_reports[RAIM_VOTE_ENDED].tally.yes, 3);
    assert_goodbye(&test->peers[4], RAIM_REASON_KICKED, "voted off: spam");
    assert_int_equal(counts(test).players, 4);
}

TEST(at_the_end_silent_players_are_ignored_or_count_as_no)
{
    for (int is_no = 0; is_no < 2; is_no++) {
        struct raim_match_def def = vote_def();
        def.tuning.votes.silent_is_no = is_no != 0;
        struct test_match *test = open_vote(def, 5);
        call_on(test, 0, RAIM_VOTE_KICK, 4);
        cast_vote(test, 1, RAIM_VOTE_YES);
        ticks(test, 299);
        assert_true(is_vote_running(test));
        assert_int_equal(await_outcome(test), is_no ? RAIM_VOTE_FAILED : RAIM_VOTE_PASSED);
    }
}

TEST(players_at_one_address_vote_among_themselves)
{
    struct test_match *test = open_vote(with_bots(vote_def(), 2), 0);
    for (uint32_t i = 0; i < 7; i++)
        join_voter(test, i, 100, "pupil");
    ticks(test, 8);
    call_on(test, 0, RAIM_VOTE_KICK, 6);
    assert_tally(test, 1, 0, 6);
    assert_true(is_vote_running(test));
    for (uint32_t i = 1; i < 4; i++)
        cast_vote(test, i, RAIM_VOTE_YES);
    struct raim_match_vote vote;
    ticks(test, 20);
    assert_true(raim_match_take_ended_vote(test->match, &vote));
    assert_int_equal(vote.outcome, RAIM_VOTE_PASSED);
    assert_true(vote.shares_address);
    assert_int_equal(counts(test).players, 6);
    // The name of the one who was kicked stays away from there, others may come.
    leave(test, 6);
    join_voter(test, 6, 100, "pupil (7)");
    ticks(test, 4);
    assert_goodbye(&test->peers[6], RAIM_REASON_KICKED, "voted off: join again in 5 minutes");
    join_voter(test, 7, 100, "another");
    join_voter(test, 8, 101, "pupil");
    ticks(test, 4);
    assert_int_equal(counts(test).players, 8);
}

TEST(one_address_decides_nothing_where_others_are)
{
    struct raim_match_def def = vote_def();
    struct test_match *test = open_vote(def, 2);
    for (uint32_t i = 2; i < 5; i++)
        join_voter(test, i, 100, "sibling"); // of the first one
    ticks(test, 8);
    // The only other address is that of the target, who does not vote.
    call_on(test, 0, RAIM_VOTE_KICK, 1);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_TOO_FEW);
    assert_int_equal(rejected_amount(test, 0), 0);
    ticks(test, CALL_DELAY_TICKS);
    for (uint32_t agrees = 0; agrees < 2; agrees++) {
        call_vote(test, 0, &restart_vote);
        for (uint32_t i = 2; i < 5; i++)
            cast_vote(test, i, RAIM_VOTE_YES);
        assert_tally(test, 2, 0, 3);
        assert_true(is_vote_running(test));
        if (agrees)
            cast_vote(test, 1, RAIM_VOTE_YES);
        assert_int_equal(await_outcome(test), agrees ? RAIM_VOTE_PASSED : RAIM_VOTE_FAILED);
        ticks(test, CALL_DELAY_TICKS);
    }
}

TEST(an_address_waits_longer_after_a_vote_that_failed)
{
    for (int is_withdrawn = 0; is_withdrawn < 2; is_withdrawn++) {
        struct test_match *test = open_vote(with_newcomers(vote_def(), 10), 5);
        join_voter(test, 5, 100, "sibling"); // of the first one
        ticks(test, 600);
        call_vote(test, 0, &restart_vote);
        if (is_withdrawn)
            request_vote(test, 0,
                         &(struct raim_vote_request){.action = RAIM_VOTE_WITHDRAW, .number = 1});
        assert_int_equal(await_outcome(test),
                         is_withdrawn ? RAIM_VOTE_WITHDRAWN : RAIM_VOTE_FAILED);
        leave(test, 0);
        ticks(test, CALL_DELAY_TICKS);
        call_vote(test, 5, &restart_vote);
        assert_int_equal(take_rejection(test, 5), RAIM_VOTE_TOO_SOON);
        assert_int_equal(rejected_amount(test, 5), 9);
        call_vote(test, 1, &restart_vote);
        cast_vote(test, 2, RAIM_VOTE_YES);
        cast_vote(test, 3, RAIM_VOTE_YES);
        assert_int_equal(await_outcome(test), RAIM_VOTE_PASSED);
        ticks(test, 10 * 60);
        call_vote(test, 5, &restart_vote);
        ticks(test, 1);
        assert_true(is_vote_running(test));
        close_test_match(test);
    }
}

TEST(calls_are_rejected_for_reasons)
{
    struct raim_match_def def = vote_def();
    def.bots = 1;
    def.tuning.votes.kinds &= ~RAIM_VOTE_BIT(RAIM_VOTE_PAUSE);
    def.tuning.votes.kick_players = 4;
    struct test_match *test = open_vote(def, 3);
    assert_call_rejected(test, 0, pause_vote, RAIM_VOTE_DISABLED);
    const raim_player_id bot = raim_world_players_const(raim_match_world(test->match))[0].id;
    assert_call_rejected(test, 0, (struct raim_vote_subject){.kind = RAIM_VOTE_KICK, .player = bot},
                         RAIM_VOTE_NO_PLAYER);
    assert_call_rejected(test, 0,
                         (struct raim_vote_subject){.kind = RAIM_VOTE_KICK, .player = 65535},
                         RAIM_VOTE_NO_PLAYER);
    call_on(test, 0, RAIM_VOTE_MUTE, 0);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_NOT_NOW);
    assert_call_rejected(test, 0, (struct raim_vote_subject){.kind = RAIM_VOTE_MAP, .map = "moon"},
                         RAIM_VOTE_NO_MAP);
    assert_call_rejected(test, 0, (struct raim_vote_subject){.kind = RAIM_VOTE_NEXTMAP},
                         RAIM_VOTE_NOT_NOW); // none is prepared
    cast_vote(test, 0, RAIM_VOTE_YES);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_NONE);
    call_on(test, 0, RAIM_VOTE_KICK, 1);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_TOO_FEW);
    assert_int_equal(rejected_amount(test, 0), 4);
    assert_call_rejected(test, 0, restart_vote, RAIM_VOTE_TOO_SOON); // that one has cost a call
    assert_int_equal(rejected_amount(test, 0), 1);
    ticks(test, CALL_DELAY_TICKS);
    test->match->sessions[raim_player_slot((raim_player_id)player_of(test, 1))].admin_level = 1;
    call_on(test, 0, RAIM_VOTE_MUTE, 1);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_IMMUNE);
    join_voter(test, 5, 101, "kid"); // shares the administrator's address
    ticks(test, CALL_DELAY_TICKS);
    call_on(test, 0, RAIM_VOTE_MUTE, 5);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_IMMUNE);
    call_vote(test, 2, &restart_vote);
    assert_call_rejected(test, 1, restart_vote, RAIM_VOTE_RUNNING);
    request_vote(test, 1, &(struct raim_vote_request){.action = RAIM_VOTE_WITHDRAW, .number = 1});
    assert_int_equal(take_rejection(test, 1), RAIM_VOTE_NOT_CALLER);
    request_vote(test, 2, &(struct raim_vote_request){.action = RAIM_VOTE_WITHDRAW, .number = 1});
    ticks(test, 1);
    assert_int_equal(take_outcome(test), RAIM_VOTE_WITHDRAWN);
    assert_int_equal(rejected(test, RAIM_REJECTED_VOTE), 13);
}

TEST(newcomers_call_no_vote_and_do_not_count_against_others)
{
    struct test_match *test = open_vote(with_newcomers(vote_def(), 2), 3);
    assert_call_rejected(test, 0, restart_vote, RAIM_VOTE_NEWCOMER);
    assert_int_equal(rejected_amount(test, 0), 2);
    ticks(test, 120);
    for (uint32_t i = 3; i < 8; i++)
        join_voter(test, i, 200 + i, "new");
    ticks(test, 8);
    call_on(test, 0, RAIM_VOTE_KICK, 7);
    for (uint32_t i = 3; i < 8; i++)
        cast_vote(test, i, RAIM_VOTE_NO);
    assert_tally(test, 1, 0, 3);
    assert_true(raim_match_decide_vote(test->match, RAIM_VOTE_CANCELLED));
    assert_int_equal(take_outcome(test), RAIM_VOTE_CANCELLED);
    assert_false(raim_match_decide_vote(test->match, RAIM_VOTE_CANCELLED));
    ticks(test, CALL_DELAY_TICKS);
    call_vote(test, 0, &restart_vote);
    assert_tally(test, 1, 0, 8);
}

TEST(spectators_bots_and_others_are_not_told_and_do_not_vote)
{
    struct test_match *test = open_vote(with_bots(vote_def(), 2), 2);
    watch(test, 8, 0);
    play(test, 9); // without the capability
    ticks(test, 8);
    call_vote(test, 8, &restart_vote);
    ticks(test, 1);
    assert_int_equal(rejected(test, RAIM_REJECTED_UNEXPECTED), 1);
    call_vote(test, 0, &restart_vote);
    cast_vote(test, 8, RAIM_VOTE_NO);
    assert_tally(test, 1, 0, 3);
    for (uint32_t kind = 0; kind < RAIM_VOTE_REPORTS; kind++) {
        assert_int_equal(test->peers[8].vote_counts[kind], 0);
        assert_int_equal(test->peers[9].vote_counts[kind], 0);
    }
    uint32_t announced = 0; // in the chat
    for (uint32_t i = 0; i < test->peers[9].received_count; i++)
        announced += test->peers[9].received[i].event.by_operator &&
                     strcmp(test->peers[9].received[i].event.text,
                            "Vote /yes or /no: A wants to restart the round") == 0;
    assert_int_equal(announced, 1);
}

TEST(a_flood_of_choices_is_told_four_times_a_second)
{
    struct test_match *test = open_vote(vote_def(), 5);
    call_vote(test, 0, &restart_vote);
    ticks(test, 1);
    const uint32_t before = test->peers[1].vote_counts[RAIM_VOTE_TALLY];
    for (int i = 0; i < 120; i++) {
        for (int j = 0; j < 8; j++)
            cast_vote(test, 1, (uint32_t)chance_int(0, 2));
        for (int j = 0; j < 8; j++)
            call_vote(test, 2, &restart_vote);
        tick(test);
    }
    assert_in_range(test->peers[1].vote_counts[RAIM_VOTE_TALLY] - before, 1, 9);
    assert_in_range(test->peers[3].vote_counts[RAIM_VOTE_TALLY], 1, 10);
    assert_in_range(test->peers[2].vote_counts[RAIM_VOTE_REJECTED], 10, 21);
    assert_int_equal(rejected(test, RAIM_REJECTED_VOTE), 960);
}
