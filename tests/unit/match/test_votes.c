// SPDX-License-Identifier: MIT
// Votes: who may call one, what clients are told, and what votes do.
#include "vote_fixture.h"

static const struct raim_vote_subject restart = {.kind = RAIM_VOTE_RESTART};
static const struct raim_vote_subject pause_vote = {.kind = RAIM_VOTE_PAUSE};

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
    assert_true(test->peers[4].is_over);
    assert_int_equal(test->peers[4].goodbye.reason, RAIM_REASON_KICKED);
    assert_string_equal(test->peers[4].goodbye.text, "voted off: spam");
    assert_int_equal(counts(test).players, 4);
    close_test_match(test);
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
        close_test_match(test);
    }
    // As many no as yes are no majority.
    struct test_match *test = open_vote(vote_def(), 6);
    call_on(test, 0, RAIM_VOTE_KICK, 4);
    cast_vote(test, 1, RAIM_VOTE_YES);
    cast_vote(test, 2, RAIM_VOTE_NO);
    cast_vote(test, 3, RAIM_VOTE_NO);
    assert_int_equal(await_outcome(test), RAIM_VOTE_FAILED);
    assert_int_equal(counts(test).players, 6);
    close_test_match(test);
}

TEST(the_silence_of_others_lets_nobody_decide_alone)
{
    struct raim_match_def def = vote_def();
    def.tuning.max_players = PEERS;
    for (uint32_t agreeing = 1; agreeing <= 5; agreeing++)
        for (int is_pause = 0; is_pause < 2; is_pause++) {
            struct test_match *test = open_vote(def, 13 + !is_pause); // and the one it is about
            if (is_pause)
                call_vote(test, 0, &pause_vote);
            else
                call_on(test, 0, RAIM_VOTE_KICK, 13);
            for (uint32_t i = 1; i < agreeing; i++)
                cast_vote(test, i, RAIM_VOTE_YES);
            assert_int_equal(await_outcome(test),
                             agreeing < 5 ? RAIM_VOTE_FAILED : RAIM_VOTE_PASSED); // a third of 13
            close_test_match(test);
        }
}

TEST(players_at_one_address_vote_among_themselves)
{
    struct raim_match_def def = vote_def();
    def.bots = 2;
    struct test_match *test = open_vote(def, 0);
    for (uint32_t i = 0; i < 7; i++)
        join_from(test, i, 100, "pupil");
    ticks(test, 8);
    call_on(test, 0, RAIM_VOTE_KICK, 6);
    ticks(test, 20);
    assert_int_equal(test->match->votes.running.tally.electors, 6);
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
    join_from(test, 6, 100, "pupil (7)");
    ticks(test, 4);
    assert_true(test->peers[6].is_over);
    assert_int_equal(test->peers[6].goodbye.reason, RAIM_REASON_KICKED);
    assert_string_equal(test->peers[6].goodbye.text, "voted off: join again in 5 minutes");
    join_from(test, 7, 100, "another");
    join_from(test, 8, 101, "pupil");
    ticks(test, 4);
    assert_int_equal(counts(test).players, 8);
    close_test_match(test);
}

TEST(one_address_decides_nothing_where_others_are)
{
    struct raim_match_def def = vote_def();
    struct test_match *test = open_vote(def, 2);
    for (uint32_t i = 2; i < 5; i++)
        join_from(test, i, 100, "sibling"); // of the first one
    ticks(test, 8);
    // The only other address is that of the target, who does not vote.
    call_on(test, 0, RAIM_VOTE_KICK, 1);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_TOO_FEW);
    assert_int_equal(test->peers[0].vote_reports[RAIM_VOTE_REJECTED].amount, 0);
    ticks(test, CALL_DELAY_TICKS);
    for (uint32_t agrees = 0; agrees < 2; agrees++) {
        call_vote(test, 0, &restart);
        for (uint32_t i = 2; i < 5; i++)
            cast_vote(test, i, RAIM_VOTE_YES);
        ticks(test, 20);
        assert_int_equal(test->match->votes.running.tally.electors, 3);
        assert_int_equal(test->match->votes.running.tally.yes, 2);
        assert_true(is_vote_running(test));
        if (agrees)
            cast_vote(test, 1, RAIM_VOTE_YES);
        assert_int_equal(await_outcome(test), agrees ? RAIM_VOTE_PASSED : RAIM_VOTE_FAILED);
        ticks(test, CALL_DELAY_TICKS);
    }
    close_test_match(test);
}

TEST(idle_players_do_not_count_unless_they_vote)
{
    struct raim_match_def def = vote_def();
    def.tuning.idle_timeout_s = 2;
    struct test_match *test = open_vote(def, 6);
    for (uint32_t i = 2; i < 6; i++)
        test->peers[i].is_idle = true;
    ticks(test, 150);
    call_vote(test, 0, &restart);
    cast_vote(test, 2, RAIM_VOTE_NO);
    ticks(test, 20);
    assert_int_equal(test->match->votes.running.tally.electors, 3);
    close_test_match(test);
}

TEST(an_address_waits_longer_after_a_vote_that_failed)
{
    for (int is_withdrawn = 0; is_withdrawn < 2; is_withdrawn++) {
        struct raim_match_def def = vote_def();
        def.tuning.votes.newcomer_delay_s = 10;
        struct test_match *test = open_vote(def, 5);
        join_from(test, 5, 100, "sibling"); // of the first one
        ticks(test, 600);
        call_vote(test, 0, &restart);
        if (is_withdrawn)
            request_vote(test, 0,
                         &(struct raim_vote_request){.action = RAIM_VOTE_WITHDRAW, .number = 1});
        assert_int_equal(await_outcome(test),
                         is_withdrawn ? RAIM_VOTE_WITHDRAWN : RAIM_VOTE_FAILED);
        leave(test, 0);
        ticks(test, CALL_DELAY_TICKS);
        call_vote(test, 5, &restart);
        assert_int_equal(take_rejection(test, 5), RAIM_VOTE_TOO_SOON);
        assert_int_equal(test->peers[5].vote_reports[RAIM_VOTE_REJECTED].amount, 9);
        call_vote(test, 1, &restart);
        cast_vote(test, 2, RAIM_VOTE_YES);
        cast_vote(test, 3, RAIM_VOTE_YES);
        assert_int_equal(await_outcome(test), RAIM_VOTE_PASSED);
        ticks(test, 10 * 60);
        call_vote(test, 5, &restart);
        ticks(test, 1);
        assert_true(is_vote_running(test));
        close_test_match(test);
    }
}

TEST(a_choice_may_change_be_taken_back_and_leaves_with_its_player)
{
    struct test_match *test = open_vote(vote_def(), 5);
    call_vote(test, 0, &restart);
    cast_vote(test, 1, RAIM_VOTE_NO);
    cast_vote(test, 2, RAIM_VOTE_NO);
    cast_vote(test, 2, RAIM_VOTE_SILENT);
    cast_vote(test, 3, RAIM_VOTE_YES);
    ticks(test, 20);
    assert_int_equal(test->match->votes.running.tally.no, 1);
    assert_int_equal(test->match->votes.running.tally.yes, 2);
    cast_vote(test, 1, RAIM_VOTE_SILENT);
    leave(test, 3);
    ticks(test, 20);
    assert_int_equal(test->match->votes.running.tally.no, 0);
    assert_int_equal(test->match->votes.running.tally.yes, 1);
    assert_int_equal(test->match->votes.running.tally.electors, 4);
    close_test_match(test);
}

TEST(the_two_latest_votes_of_an_origin_count)
{
    struct test_match *test = open_vote(vote_def(), 3);
    for (uint32_t i = 3; i < 8; i++)
        join_from(test, i, 100, "sibling"); // of the first one
    ticks(test, 8);
    call_vote(test, 0, &restart);
    for (uint32_t i = 3; i < 8; i++)
        cast_vote(test, i, RAIM_VOTE_YES);
    ticks(test, 20);
    assert_int_equal(test->match->votes.running.tally.electors, 4);
    assert_int_equal(test->match->votes.running.tally.yes, 2);
    cast_vote(test, 5, RAIM_VOTE_NO);
    ticks(test, 20);
    assert_int_equal(test->match->votes.running.tally.yes, 1);
    assert_int_equal(test->match->votes.running.tally.no, 1);
    close_test_match(test);
}

TEST(calls_are_rejected_for_reasons)
{
    struct raim_match_def def = vote_def();
    def.bots = 1;
    def.tuning.votes.kinds &= ~RAIM_VOTE_BIT(RAIM_VOTE_PAUSE);
    def.tuning.votes.kick_players = 4;
    struct test_match *test = open_vote(def, 3);
    call_vote(test, 0, &pause_vote);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_DISABLED);
    const raim_player_id bot = raim_world_players_const(raim_match_world(test->match))[0].id;
    call_vote(test, 0, &(struct raim_vote_subject){.kind = RAIM_VOTE_KICK, .player = bot});
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_NO_PLAYER);
    call_vote(test, 0, &(struct raim_vote_subject){.kind = RAIM_VOTE_KICK, .player = 65535});
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_NO_PLAYER);
    call_on(test, 0, RAIM_VOTE_MUTE, 0);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_NOT_NOW);
    call_vote(test, 0, &(struct raim_vote_subject){.kind = RAIM_VOTE_MAP, .map = "moon"});
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_NO_MAP);
    call_vote(test, 0, &(struct raim_vote_subject){.kind = RAIM_VOTE_NEXTMAP});
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_NOT_NOW); // none is prepared
    cast_vote(test, 0, RAIM_VOTE_YES);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_NONE);
    call_on(test, 0, RAIM_VOTE_KICK, 1);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_TOO_FEW);
    assert_int_equal(test->peers[0].vote_reports[RAIM_VOTE_REJECTED].amount, 4);
    call_vote(test, 0, &restart);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_TOO_SOON); // that one has cost a call
    assert_int_equal(test->peers[0].vote_reports[RAIM_VOTE_REJECTED].amount, 1);
    ticks(test, CALL_DELAY_TICKS);
    test->match->sessions[raim_player_slot((raim_player_id)player_of(test, 1))].admin_level = 1;
    call_on(test, 0, RAIM_VOTE_MUTE, 1);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_IMMUNE);
    join_from(test, 5, 101, "kid"); // shares the administrator's address
    ticks(test, CALL_DELAY_TICKS);
    call_on(test, 0, RAIM_VOTE_MUTE, 5);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_IMMUNE);
    call_vote(test, 2, &restart);
    call_vote(test, 1, &restart);
    assert_int_equal(take_rejection(test, 1), RAIM_VOTE_RUNNING);
    request_vote(test, 1, &(struct raim_vote_request){.action = RAIM_VOTE_WITHDRAW, .number = 1});
    assert_int_equal(take_rejection(test, 1), RAIM_VOTE_NOT_CALLER);
    request_vote(test, 2, &(struct raim_vote_request){.action = RAIM_VOTE_WITHDRAW, .number = 1});
    ticks(test, 1);
    assert_int_equal(take_outcome(test), RAIM_VOTE_WITHDRAWN);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_VOTE], 13);
    close_test_match(test);
}

TEST(newcomers_call_no_vote_and_do_not_count_against_others)
{
    struct raim_match_def def = vote_def();
    def.tuning.votes.newcomer_delay_s = 2;
    struct test_match *test = open_vote(def, 3);
    call_vote(test, 0, &restart);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_NEWCOMER);
    assert_int_equal(test->peers[0].vote_reports[RAIM_VOTE_REJECTED].amount, 2);
    ticks(test, 120);
    for (uint32_t i = 3; i < 8; i++)
        join_from(test, i, 200 + i, "new");
    ticks(test, 8);
    call_on(test, 0, RAIM_VOTE_KICK, 7);
    for (uint32_t i = 3; i < 8; i++)
        cast_vote(test, i, RAIM_VOTE_NO);
    ticks(test, 20);
    assert_int_equal(test->match->votes.running.tally.electors, 3);
    assert_int_equal(test->match->votes.running.tally.no, 0);
    assert_true(raim_match_decide_vote(test->match, RAIM_VOTE_CANCELLED));
    assert_int_equal(take_outcome(test), RAIM_VOTE_CANCELLED);
    assert_false(raim_match_decide_vote(test->match, RAIM_VOTE_CANCELLED));
    ticks(test, CALL_DELAY_TICKS);
    call_vote(test, 0, &restart);
    ticks(test, 20);
    assert_int_equal(test->match->votes.running.tally.electors, 8);
    close_test_match(test);
}

TEST(spectators_bots_and_others_are_not_told_and_do_not_vote)
{
    struct raim_match_def def = vote_def();
    def.bots = 2;
    struct test_match *test = open_vote(def, 2);
    watch(test, 8, 0);
    play(test, 9); // without the capability
    ticks(test, 8);
    call_vote(test, 8, &restart);
    ticks(test, 1);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_UNEXPECTED], 1);
    call_vote(test, 0, &restart);
    cast_vote(test, 8, RAIM_VOTE_NO);
    ticks(test, 20);
    assert_int_equal(test->match->votes.running.tally.electors, 3);
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
    close_test_match(test);
}

TEST(a_flood_of_choices_is_told_four_times_a_second)
{
    struct test_match *test = open_vote(vote_def(), 5);
    call_vote(test, 0, &restart);
    ticks(test, 1);
    const uint32_t before = test->peers[1].vote_counts[RAIM_VOTE_TALLY];
    for (int i = 0; i < 120; i++) {
        for (int j = 0; j < 8; j++)
            cast_vote(test, 1, (uint32_t)chance_int(0, 2));
        for (int j = 0; j < 8; j++)
            call_vote(test, 2, &restart);
        tick(test);
    }
    assert_in_range(test->peers[1].vote_counts[RAIM_VOTE_TALLY] - before, 1, 9);
    assert_in_range(test->peers[3].vote_counts[RAIM_VOTE_TALLY], 1, 10);
    assert_in_range(test->peers[2].vote_counts[RAIM_VOTE_REJECTED], 10, 21);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_VOTE], 960);
    close_test_match(test);
}

// --- Effects ---

TEST(who_leaves_before_the_end_meets_the_result_on_return)
{
    struct test_match *test = open_vote(vote_def(), 3);
    call_on(test, 0, RAIM_VOTE_KICK, 2);
    ticks(test, 2);
    assert_int_equal(raim_match_vote_target(test->match), 2);
    leave(test, 2);
    ticks(test, 2);
    assert_int_equal(raim_match_vote_target(test->match), UINT32_MAX);
    join_from(test, 5, 102, "C again");
    ticks(test, 8);
    cast_vote(test, 1, RAIM_VOTE_YES);
    ticks(test, 20);
    assert_int_equal(take_outcome(test), RAIM_VOTE_PASSED);
    assert_true(test->peers[5].is_over);
    assert_int_equal(test->peers[5].goodbye.reason, RAIM_REASON_KICKED);
    close_test_match(test);
}

TEST(a_resumed_session_keeps_its_choice_and_its_kick)
{
    struct raim_match_def def = vote_def();
    def.tuning.resume_grace_s = 60;
    struct test_match *test = open_vote(def, 4);
    const struct raim_welcome welcomes[] = {test->peers[1].welcome, test->peers[3].welcome};
    call_on(test, 0, RAIM_VOTE_KICK, 3);
    cast_vote(test, 1, RAIM_VOTE_NO);
    ticks(test, 20);
    for (uint32_t i = 1; i <= 3; i += 2)
        leave(test, i);
    ticks(test, 20);
    assert_int_equal(test->match->votes.running.tally.no, 1);
    for (uint32_t i = 1; i <= 3; i += 2) {
        struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION,
                                   .capabilities = RAIM_CAPABILITY_VOTES,
                                   .resume = true,
                                   .name = "B"};
        memcpy(hello.token, welcomes[i / 2].token, sizeof hello.token);
        connect_peer(test, 5 + i, &hello);
    }
    ticks(test, 40);
    assert_int_equal(test->peers[6].vote_reports[RAIM_VOTE_TALLY].choice, RAIM_VOTE_NO);
    assert_int_equal(raim_match_vote_target(test->match), 8);
    cast_vote(test, 2, RAIM_VOTE_YES);
    ticks(test, 20);
    assert_int_equal(take_outcome(test), RAIM_VOTE_PASSED);
    assert_int_equal(test->peers[8].goodbye.reason, RAIM_REASON_KICKED);
    close_test_match(test);
}

TEST(a_vote_mutes_for_a_while_and_on_return)
{
    struct raim_match_def def = vote_def();
    def.tuning.votes.penalty_minutes = 1;
    struct test_match *test = open_vote(def, 3);
    call_on(test, 0, RAIM_VOTE_MUTE, 2);
    cast_vote(test, 1, RAIM_VOTE_YES);
    assert_int_equal(await_outcome(test), RAIM_VOTE_PASSED);
    say(test, 2, "hello");
    say(test, 1, "hello");
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_MUTED], 1);
    leave(test, 2);
    join_from(test, 2, 102, "C again");
    ticks(test, 8);
    say(test, 2, "hello");
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_MUTED], 2);
    ticks(test, 61 * 60);
    say(test, 2, "hello");
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_MUTED], 2);
    close_test_match(test);
}

TEST(a_vote_makes_a_player_watch_for_a_while)
{
    struct raim_match_def def = vote_def();
    def.tuning.votes.penalty_minutes = 1;
    struct test_match *test = open_vote(def, 3);
    call_on(test, 0, RAIM_VOTE_SPECTATE, 2);
    cast_vote(test, 1, RAIM_VOTE_YES);
    assert_int_equal(await_outcome(test), RAIM_VOTE_PASSED);
    ticks(test, 2);
    const char *text = "voted to watch: join as a spectator, or play again in 1 minutes";
    assert_string_equal(test->peers[2].goodbye.text, text);
    leave(test, 2);
    join_from(test, 2, 102, "C again");
    ticks(test, 2);
    assert_true(test->peers[2].is_over);
    assert_int_equal(test->peers[2].goodbye.reason, RAIM_REASON_KICKED);
    assert_string_equal(test->peers[2].goodbye.text, text);
    leave(test, 2);
    watch(test, 2, 0);
    raim_match_set_origin(test->match, 2, 102, 0);
    ticks(test, 8);
    assert_int_equal(counts(test).spectators, 1);
    ticks(test, 61 * 60);
    join_from(test, 7, 102, "C at last");
    ticks(test, 8);
    assert_int_equal(counts(test).players, 3);
    close_test_match(test);
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
    pass(test, &restart);
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
    call_vote(test, 1, &restart);
    assert_int_equal(take_rejection(test, 1), RAIM_VOTE_NOT_NOW); // in a break
    close_test_match(test);
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
    call_vote(test, 0, &extend);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_NOT_NOW);
    close_test_match(test);
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
    call_vote(test, 0, &pause_vote);
    assert_int_equal(take_rejection(test, 0), RAIM_VOTE_NOT_NOW); // it is the operator's
    close_test_match(test);
}

TEST(a_vote_is_moot_when_the_round_ends_before)
{
    struct raim_match_def def = vote_def();
    def.tuning.round_s = 2;
    struct test_match *test = open_vote(def, 4);
    call_vote(test, 0, &(struct raim_vote_subject){.kind = RAIM_VOTE_EXTEND, .minutes = 1});
    ticks(test, 125);
    assert_int_equal(take_outcome(test), RAIM_VOTE_MOOT);
    close_test_match(test);
}

TEST(a_paused_vote_survives_a_checkpoint_and_ends_after_two_minutes)
{
    struct test_match *test = open_vote(vote_def(), 2);
    pass(test, &pause_vote);
    ticks(test, 10);
    call_vote(test, 1, &pause_vote);
    ticks(test, 2);
    const size_t size = raim_match_checkpoint_size(test->match);
    uint8_t *bytes = malloc(size);
    raim_match_save(test->match, bytes);
    struct raim_match *next = raim_match_create(&test->def);
    assert_true(raim_match_restore(next, bytes, size));
    struct raim_match_vote vote;
    assert_false(raim_match_running_vote(next, &vote)); // a running vote does not
    for (int i = 0; i < 121 * 60; i++)
        raim_match_step(next);
    assert_int_equal(raim_match_round(next).phase, RAIM_MATCH_PLAY);
    raim_match_destroy(next);
    free(bytes);
    close_test_match(test);
}

TEST(a_vote_goes_on_with_the_match_that_succeeds)
{
    struct test_match *test = open_vote(vote_def(), 3);
    call_on(test, 0, RAIM_VOTE_KICK, 2);
    ticks(test, 20);
    struct raim_match *next = raim_match_create(&test->def);
    raim_match_transfer(next, test->match, false);
    raim_match_destroy(test->match);
    test->match = next;
    ticks(test, 40);
    assert_true(is_vote_running(test));
    assert_int_equal(test->peers[1].vote_counts[RAIM_VOTE_BEGAN], 2);
    assert_int_equal(test->peers[1].vote_reports[RAIM_VOTE_BEGAN].subject.player,
                     player_of(test, 2));
    cast_vote(test, 1, RAIM_VOTE_YES);
    ticks(test, 20);
    assert_int_equal(take_outcome(test), RAIM_VOTE_PASSED);
    assert_true(test->peers[2].is_over);
    close_test_match(test);
}

// --- Vote count ---

// Counting votes: whatever joins, leaves, resumes, idles and votes at random, the count is that of
// a plain oracle, which compares every player with every other one.

enum { ROUNDS = 80, ACTS = 120, MAX_OF_ORIGIN = 2 };

// What the oracle knows of a player.
struct voter {
    bool here, away;
    uint64_t origin; // 0: not known
    uint32_t joined_tick, player;
    uint32_t choice, order;
    uint8_t token[RAIM_TOKEN_BYTES];
};

struct ballot {
    struct test_match *test;
    struct voter voters[PEERS]; // by handle
    uint32_t order;
    uint32_t began_tick, target;
    bool is_personal;
    uint32_t newcomer_ticks;
    int origins; // that may be
};

static bool is_active(const struct ballot *ballot, const struct voter *voter)
{
    const struct raim_match *match = ballot->test->match;
    return voter->here &&
           (voter->choice != RAIM_VOTE_SILENT ||
            (!voter->away &&
             match->sessions[raim_player_slot((raim_player_id)voter->player)].idle_ticks <
                 match->policy.idle_ticks));
}

static bool may_vote(const struct ballot *ballot, const struct voter *voter)
{
    if (!is_active(ballot, voter))
        return false;
    return !ballot->is_personal || (voter->player != ballot->target &&
                                    raim_tick_diff(ballot->began_tick, voter->joined_tick) >=
                                        (int32_t)ballot->newcomer_ticks);
}

static bool is_of_one_origin(const struct voter *one, const struct voter *other)
{
    return one == other || (one->origin != 0 && one->origin == other->origin);
}

// The number of origins among the voters that a predicate takes.
static uint32_t origins_of(const struct ballot *ballot,
                           bool (*takes)(const struct ballot *, const struct voter *))
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < PEERS; i++) {
        bool is_first = takes(ballot, &ballot->voters[i]);
        for (uint32_t j = 0; j < i; j++)
            if (takes(ballot, &ballot->voters[j]) &&
                is_of_one_origin(&ballot->voters[i], &ballot->voters[j]))
                is_first = false;
        count += is_first;
    }
    return count;
}

// Whether a voter is not one of the electors of its origin: others of it have voted later, or, of
// the silent ones, have a lower handle.
static bool is_beyond(const struct ballot *ballot, const struct voter *voter)
{
    uint32_t before = 0;
    const uint32_t order = voter->choice == RAIM_VOTE_SILENT ? 0 : voter->order;
    for (uint32_t i = 0; i < PEERS; i++) {
        const struct voter *other = &ballot->voters[i];
        const uint32_t others = other->choice == RAIM_VOTE_SILENT ? 0 : other->order;
        before += other != voter && may_vote(ballot, other) && is_of_one_origin(voter, other) &&
                  (others > order || (others == order && other < voter));
    }
    return before >= MAX_OF_ORIGIN && origins_of(ballot, is_active) > 1;
}

static bool says_yes(const struct ballot *ballot, const struct voter *voter)
{
    return may_vote(ballot, voter) && !is_beyond(ballot, voter) && voter->choice == RAIM_VOTE_YES;
}

static struct raim_vote_count oracle(const struct ballot *ballot)
{
    struct raim_vote_count count = {0};
    struct raim_vote_tally *tally = &count.tally;
    for (uint32_t i = 0; i < PEERS; i++) {
        const struct voter *voter = &ballot->voters[i];
        if (!may_vote(ballot, voter) || is_beyond(ballot, voter))
            continue;
        tally->electors++;
        tally->yes += voter->choice == RAIM_VOTE_YES;
        tally->no += voter->choice == RAIM_VOTE_NO;
    }
    const bool is_one = origins_of(ballot, is_active) <= 1;
    count.is_broad = is_one || origins_of(ballot, says_yes) >= 2;
    count.may_be_broad = is_one || origins_of(ballot, may_vote) >= 2;
    const uint32_t least = !ballot->is_personal && tally->electors < 2 ? tally->electors : 2;
    tally->needed = tally->electors * ballot->test->def.tuning.votes.yes_percent / 100 + 1;
    if (tally->needed < least)
        tally->needed = least;
    while (3 * count.quorum < tally->electors || count.quorum < least)
        count.quorum++;
    if (count.quorum > tally->needed)
        count.quorum = tally->needed;
    return count;
}

static void join_voter(struct ballot *ballot, uint32_t handle)
{
    struct voter *voter = &ballot->voters[handle];
    *voter = (struct voter){.here = true,
                            .origin = (uint64_t)chance_int(ballot->origins == 1, ballot->origins)};
    if (voter->origin != 0) // some share the lowest bits, by which the table begins to look
        voter->origin = voter->origin << 40 | 7;
    join_from(ballot->test, handle, voter->origin, "voter");
    voter->joined_tick = raim_match_tick(ballot->test->match);
    voter->player = player_of(ballot->test, handle);
    memcpy(voter->token, ballot->test->match->connections[handle].token, sizeof voter->token);
}

// An away player comes back through a free handle.
static void resume_voter(struct ballot *ballot, uint32_t from, uint32_t to)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .resume = true, .name = "voter"};
    struct voter voter = ballot->voters[from];
    memcpy(hello.token, voter.token, sizeof hello.token);
    connect_peer(ballot->test, to, &hello);
    voter.away = false;
    voter.origin = 0; // connect_peer names no origin
    ballot->voters[from] = (struct voter){0};
    ballot->voters[to] = voter;
}

static void act(struct ballot *ballot)
{
    const uint32_t handle = (uint32_t)chance_int(0, 11);
    struct voter *voter = &ballot->voters[handle];
    const int what = chance_int(0, 9);
    if (!voter->here) {
        if (what < 3)
            join_voter(ballot, handle);
    } else if (voter->away) {
        if (what < 2 && !ballot->voters[handle + 4].here && !ballot->test->peers[handle + 4].open)
            resume_voter(ballot, handle, handle + 4);
    } else if (what == 0) {
        leave(ballot->test, handle);
        voter->away = true;
    } else if (what == 1) {
        say_goodbye(ballot->test, handle);
        *voter = (struct voter){0};
        leave(ballot->test, handle);
    } else if (what < 6) {
        voter->choice = (uint32_t)chance_int(0, 2);
        voter->order = ++ballot->order;
        cast_vote(ballot->test, handle, voter->choice);
    } else {
        tick(ballot->test);
    }
}

// Calls a vote; false if it could not pass, as the oracle says, too.
static bool begin_ballot(struct ballot *ballot)
{
    const struct raim_match *match = ballot->test->match;
    ballot->is_personal = chance_int(0, 1) == 0;
    ballot->target = player_of(ballot->test, 1);
    ballot->began_tick = raim_match_tick(match);
    ballot->voters[0].choice = RAIM_VOTE_YES;
    ballot->voters[0].order = ++ballot->order;
    call_vote(ballot->test, 0,
              &(struct raim_vote_subject){.kind = ballot->is_personal ? RAIM_VOTE_MUTE
                                                                      : RAIM_VOTE_RESTART,
                                          .player = ballot->is_personal ? ballot->target : 0});
    const struct raim_vote_count expected = oracle(ballot);
    assert_int_equal(is_vote_running(ballot->test),
                     expected.may_be_broad && expected.tally.electors >= expected.tally.needed);
    return is_vote_running(ballot->test);
}

static void compare(const struct ballot *ballot)
{
    const struct raim_vote_count counted = raim_votes_count(ballot->test->match);
    const struct raim_vote_count expected = oracle(ballot);
    assert_int_equal(counted.tally.electors, expected.tally.electors);
    assert_int_equal(counted.tally.yes, expected.tally.yes);
    assert_int_equal(counted.tally.no, expected.tally.no);
    assert_int_equal(counted.tally.needed, expected.tally.needed);
    assert_int_equal(counted.quorum, expected.quorum);
    assert_int_equal(counted.is_broad, expected.is_broad);
    assert_int_equal(counted.may_be_broad, expected.may_be_broad);
}

TEST(the_count_is_that_of_a_plain_oracle)
{
    uint32_t compared = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct raim_match_def def = vote_def();
        def.tuning.max_players = PEERS; // nobody is rejected or evicted
        def.bots = (uint32_t)chance_int(0, 3);
        def.tuning.resume_grace_s = 600;
        def.tuning.idle_timeout_s = 1;
        def.tuning.votes.time_s = 300;
        def.tuning.votes.newcomer_delay_s = 0.5;
        def.tuning.votes.yes_percent = (uint32_t)chance_int(1, 99);
        struct ballot ballot = {
            .test = open_vote(def, 0), .newcomer_ticks = 30, .origins = chance_int(1, 5)};
        for (uint32_t i = 0; i < 6; i++) {
            join_voter(&ballot, i);
            ballot.test->peers[i].is_idle = chance_int(0, 4) == 0;
        }
        ticks(ballot.test, 40);
        begin_ballot(&ballot);
        for (int i = 0; i < ACTS && is_vote_running(ballot.test); i++) {
            compare(&ballot);
            compared++;
            act(&ballot);
        }
        close_test_match(ballot.test);
    }
    assert_true(compared > ROUNDS * 5);
}

// By the rules in the document, without the shortcuts of the code.
static uint32_t decide(uint32_t percent, bool silent_is_no, const struct raim_vote_count *count,
                       bool is_over)
{
    const struct raim_vote_tally *tally = &count->tally;
    const uint32_t silent = tally->electors - tally->yes - tally->no;
    const uint32_t all = 100 * tally->electors;
    if (100 * 100 * tally->yes > percent * all && count->is_broad)
        return RAIM_VOTE_PASSED;
    if (100 * 100 * (tally->yes + silent) <= percent * all)
        return RAIM_VOTE_FAILED;
    if (!is_over)
        return 0;
    const uint32_t cast = silent_is_no ? tally->electors : tally->yes + tally->no;
    return 100 * tally->yes > percent * cast && tally->yes >= count->quorum && count->is_broad
               ? RAIM_VOTE_PASSED
               : RAIM_VOTE_FAILED;
}

TEST(every_tally_is_decided_by_the_rules)
{
    struct test_match *test = open_vote(vote_def(), 0);
    struct raim_vote_tuning *tuning = &test->match->policy.tuning.votes;
    for (uint32_t percent = 1; percent <= 99; percent += 7)
        for (uint32_t electors = 0; electors <= 12; electors++)
            for (uint32_t yes = 0; yes <= electors; yes++)
                for (uint32_t no = 0; no + yes <= electors; no++)
                    for (int mode = 0; mode < 8; mode++) {
                        const struct raim_vote_count count = {
                            .tally = {yes, no, electors, electors * percent / 100 + 1},
                            .quorum = (electors + 2) / 3,
                            .is_broad = (mode & 4) != 0,
                        };
                        tuning->yes_percent = percent;
                        tuning->silent_is_no = (mode & 1) != 0;
                        assert_int_equal(
                            raim_votes_decide(test->match, &count, (mode & 2) != 0),
                            decide(percent, tuning->silent_is_no, &count, (mode & 2) != 0));
                    }
    close_test_match(test);
}
