// SPDX-License-Identifier: MIT
// Votes: who may call one, what clients are told, and what votes do.
#include "vote_fixture.h"

static const struct raim_vote_subject restart = {.kind = RAIM_VOTE_RESTART};
static const struct raim_vote_subject pause_vote = {.kind = RAIM_VOTE_PAUSE};

TEST(a_vote_is_told_counted_and_passes_when_it_is_certain)
{
    struct table *table = open_vote(vote_def(), 5);
    const struct seat *voter = &table->seats[1];
    assert_int_equal(voter->vote_counts[RAIM_VOTE_OFFER], 1);
    assert_int_equal(voter->vote_offer.kinds, RAIM_VOTE_EVERY_KIND);
    assert_string_equal(voter->vote_offer.maps[1], "ruins");
    call_on(table, 0, RAIM_VOTE_KICK, 4);
    ticks(table, 20);
    const struct raim_vote_report *began = &voter->vote_reports[RAIM_VOTE_BEGAN];
    assert_int_equal(voter->vote_counts[RAIM_VOTE_BEGAN], 1);
    assert_string_equal(began->caller_name, "A");
    assert_string_equal(began->target_name, "E");
    assert_string_equal(began->subject.reason, "spam");
    assert_int_equal(began->subject.player, player_of(table, 4));
    assert_in_range(began->left_ms, 4900, 5000);
    const struct raim_vote_report *tally = &voter->vote_reports[RAIM_VOTE_TALLY];
    assert_int_equal(tally->tally.yes, 1);
    assert_int_equal(tally->tally.electors, 4); // without the one it is about
    assert_int_equal(tally->tally.needed, 3);
    assert_int_equal(tally->choice, RAIM_VOTE_SILENT);
    cast_vote(table, 1, RAIM_VOTE_YES);
    cast_vote(table, 3, RAIM_VOTE_NO);
    cast_vote(table, 4, RAIM_VOTE_NO);
    ticks(table, 32);
    assert_int_equal(tally->tally.yes, 2);
    assert_int_equal(tally->tally.no, 1);
    assert_int_equal(tally->choice, RAIM_VOTE_YES);
    assert_true(is_vote_running(table));
    cast_vote(table, 2, RAIM_VOTE_YES);
    ticks(table, 20);
    assert_int_equal(take_outcome(table), RAIM_VOTE_PASSED);
    assert_int_equal(take_outcome(table), 0);
    assert_int_equal(voter->vote_reports[RAIM_VOTE_ENDED].outcome, RAIM_VOTE_PASSED);
    assert_int_equal(voter->vote_reports[RAIM_VOTE_ENDED].tally.yes, 3);
    assert_true(table->seats[4].is_over);
    assert_int_equal(table->seats[4].goodbye.reason, RAIM_REASON_KICKED);
    assert_string_equal(table->seats[4].goodbye.text, "voted off: spam");
    assert_int_equal(counts(table).players, 4);
    close_table(table);
}

TEST(at_the_end_silent_players_are_ignored_or_count_as_no)
{
    for (int is_no = 0; is_no < 2; is_no++) {
        struct raim_match_def def = vote_def();
        def.tuning.votes.silent_is_no = is_no != 0;
        struct table *table = open_vote(def, 5);
        call_on(table, 0, RAIM_VOTE_KICK, 4);
        cast_vote(table, 1, RAIM_VOTE_YES);
        ticks(table, 299);
        assert_true(is_vote_running(table));
        assert_int_equal(await_outcome(table), is_no ? RAIM_VOTE_FAILED : RAIM_VOTE_PASSED);
        close_table(table);
    }
    // As many no as yes are no majority.
    struct table *table = open_vote(vote_def(), 6);
    call_on(table, 0, RAIM_VOTE_KICK, 4);
    cast_vote(table, 1, RAIM_VOTE_YES);
    cast_vote(table, 2, RAIM_VOTE_NO);
    cast_vote(table, 3, RAIM_VOTE_NO);
    assert_int_equal(await_outcome(table), RAIM_VOTE_FAILED);
    assert_int_equal(counts(table).players, 6);
    close_table(table);
}

TEST(the_silence_of_others_lets_nobody_decide_alone)
{
    struct raim_match_def def = vote_def();
    def.tuning.max_players = SEATS;
    for (uint32_t agreeing = 1; agreeing <= 5; agreeing++)
        for (int is_pause = 0; is_pause < 2; is_pause++) {
            struct table *table = open_vote(def, 13 + !is_pause); // and the one it is about
            if (is_pause)
                call_vote(table, 0, &pause_vote);
            else
                call_on(table, 0, RAIM_VOTE_KICK, 13);
            for (uint32_t i = 1; i < agreeing; i++)
                cast_vote(table, i, RAIM_VOTE_YES);
            assert_int_equal(await_outcome(table),
                             agreeing < 5 ? RAIM_VOTE_FAILED : RAIM_VOTE_PASSED); // a third of 13
            close_table(table);
        }
}

TEST(players_at_one_address_vote_among_themselves)
{
    struct raim_match_def def = vote_def();
    def.bots = 2;
    struct table *table = open_vote(def, 0);
    for (uint32_t i = 0; i < 7; i++)
        join_from(table, i, 100, "pupil");
    ticks(table, 8);
    call_on(table, 0, RAIM_VOTE_KICK, 6);
    ticks(table, 20);
    assert_int_equal(table->match->votes.running.tally.electors, 6);
    assert_true(is_vote_running(table));
    for (uint32_t i = 1; i < 4; i++)
        cast_vote(table, i, RAIM_VOTE_YES);
    struct raim_match_vote vote;
    ticks(table, 20);
    assert_true(raim_match_take_ended_vote(table->match, &vote));
    assert_int_equal(vote.outcome, RAIM_VOTE_PASSED);
    assert_true(vote.shares_address);
    assert_int_equal(counts(table).players, 6);
    // The name of the one who was kicked stays away from there, others may come.
    stand_up(table, 6);
    join_from(table, 6, 100, "pupil (7)");
    ticks(table, 4);
    assert_true(table->seats[6].is_over);
    assert_int_equal(table->seats[6].goodbye.reason, RAIM_REASON_KICKED);
    assert_string_equal(table->seats[6].goodbye.text, "voted off: join again in 5 minutes");
    join_from(table, 7, 100, "another");
    join_from(table, 8, 101, "pupil");
    ticks(table, 4);
    assert_int_equal(counts(table).players, 8);
    close_table(table);
}

TEST(one_address_decides_nothing_where_others_are)
{
    struct raim_match_def def = vote_def();
    struct table *table = open_vote(def, 2);
    for (uint32_t i = 2; i < 5; i++)
        join_from(table, i, 100, "sibling"); // of the first one
    ticks(table, 8);
    // The only other address is that of the target, who does not vote.
    call_on(table, 0, RAIM_VOTE_KICK, 1);
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_TOO_FEW);
    assert_int_equal(table->seats[0].vote_reports[RAIM_VOTE_REFUSED].amount, 0);
    ticks(table, CALL_DELAY_TICKS);
    for (uint32_t agrees = 0; agrees < 2; agrees++) {
        call_vote(table, 0, &restart);
        for (uint32_t i = 2; i < 5; i++)
            cast_vote(table, i, RAIM_VOTE_YES);
        ticks(table, 20);
        assert_int_equal(table->match->votes.running.tally.electors, 3);
        assert_int_equal(table->match->votes.running.tally.yes, 2);
        assert_true(is_vote_running(table));
        if (agrees)
            cast_vote(table, 1, RAIM_VOTE_YES);
        assert_int_equal(await_outcome(table), agrees ? RAIM_VOTE_PASSED : RAIM_VOTE_FAILED);
        ticks(table, CALL_DELAY_TICKS);
    }
    close_table(table);
}

TEST(idle_players_do_not_count_unless_they_vote)
{
    struct raim_match_def def = vote_def();
    def.tuning.idle_timeout_s = 2;
    struct table *table = open_vote(def, 6);
    for (uint32_t i = 2; i < 6; i++)
        table->seats[i].is_idle = true;
    ticks(table, 150);
    call_vote(table, 0, &restart);
    cast_vote(table, 2, RAIM_VOTE_NO);
    ticks(table, 20);
    assert_int_equal(table->match->votes.running.tally.electors, 3);
    close_table(table);
}

TEST(an_address_waits_longer_after_a_vote_that_failed)
{
    for (int is_withdrawn = 0; is_withdrawn < 2; is_withdrawn++) {
        struct raim_match_def def = vote_def();
        def.tuning.votes.newcomer_delay_s = 10;
        struct table *table = open_vote(def, 5);
        join_from(table, 5, 100, "sibling"); // of the first one
        ticks(table, 600);
        call_vote(table, 0, &restart);
        if (is_withdrawn)
            request_vote(table, 0,
                         &(struct raim_vote_request){.action = RAIM_VOTE_WITHDRAW, .number = 1});
        assert_int_equal(await_outcome(table),
                         is_withdrawn ? RAIM_VOTE_WITHDRAWN : RAIM_VOTE_FAILED);
        stand_up(table, 0);
        ticks(table, CALL_DELAY_TICKS);
        call_vote(table, 5, &restart);
        assert_int_equal(take_refusal(table, 5), RAIM_VOTE_TOO_SOON);
        assert_int_equal(table->seats[5].vote_reports[RAIM_VOTE_REFUSED].amount, 9);
        call_vote(table, 1, &restart);
        cast_vote(table, 2, RAIM_VOTE_YES);
        cast_vote(table, 3, RAIM_VOTE_YES);
        assert_int_equal(await_outcome(table), RAIM_VOTE_PASSED);
        ticks(table, 10 * 60);
        call_vote(table, 5, &restart);
        ticks(table, 1);
        assert_true(is_vote_running(table));
        close_table(table);
    }
}

TEST(a_choice_may_change_be_taken_back_and_leaves_with_its_player)
{
    struct table *table = open_vote(vote_def(), 5);
    call_vote(table, 0, &restart);
    cast_vote(table, 1, RAIM_VOTE_NO);
    cast_vote(table, 2, RAIM_VOTE_NO);
    cast_vote(table, 2, RAIM_VOTE_SILENT);
    cast_vote(table, 3, RAIM_VOTE_YES);
    ticks(table, 20);
    assert_int_equal(table->match->votes.running.tally.no, 1);
    assert_int_equal(table->match->votes.running.tally.yes, 2);
    cast_vote(table, 1, RAIM_VOTE_SILENT);
    stand_up(table, 3);
    ticks(table, 20);
    assert_int_equal(table->match->votes.running.tally.no, 0);
    assert_int_equal(table->match->votes.running.tally.yes, 1);
    assert_int_equal(table->match->votes.running.tally.electors, 4);
    close_table(table);
}

TEST(the_two_latest_votes_of_an_origin_count)
{
    struct table *table = open_vote(vote_def(), 3);
    for (uint32_t i = 3; i < 8; i++)
        join_from(table, i, 100, "sibling"); // of the first one
    ticks(table, 8);
    call_vote(table, 0, &restart);
    for (uint32_t i = 3; i < 8; i++)
        cast_vote(table, i, RAIM_VOTE_YES);
    ticks(table, 20);
    assert_int_equal(table->match->votes.running.tally.electors, 4);
    assert_int_equal(table->match->votes.running.tally.yes, 2);
    cast_vote(table, 5, RAIM_VOTE_NO);
    ticks(table, 20);
    assert_int_equal(table->match->votes.running.tally.yes, 1);
    assert_int_equal(table->match->votes.running.tally.no, 1);
    close_table(table);
}

TEST(calls_are_refused_for_reasons)
{
    struct raim_match_def def = vote_def();
    def.bots = 1;
    def.tuning.votes.kinds &= ~RAIM_VOTE_BIT(RAIM_VOTE_PAUSE);
    def.tuning.votes.kick_players = 4;
    struct table *table = open_vote(def, 3);
    call_vote(table, 0, &pause_vote);
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_DISABLED);
    const raim_player_id bot = raim_world_players_const(raim_match_world(table->match))[0].id;
    call_vote(table, 0, &(struct raim_vote_subject){.kind = RAIM_VOTE_KICK, .player = bot});
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_NO_PLAYER);
    call_vote(table, 0, &(struct raim_vote_subject){.kind = RAIM_VOTE_KICK, .player = 65535});
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_NO_PLAYER);
    call_on(table, 0, RAIM_VOTE_MUTE, 0);
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_NOT_NOW);
    call_vote(table, 0, &(struct raim_vote_subject){.kind = RAIM_VOTE_MAP, .map = "moon"});
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_NO_MAP);
    call_vote(table, 0, &(struct raim_vote_subject){.kind = RAIM_VOTE_NEXTMAP});
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_NOT_NOW); // none is prepared
    cast_vote(table, 0, RAIM_VOTE_YES);
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_NONE);
    call_on(table, 0, RAIM_VOTE_KICK, 1);
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_TOO_FEW);
    assert_int_equal(table->seats[0].vote_reports[RAIM_VOTE_REFUSED].amount, 4);
    call_vote(table, 0, &restart);
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_TOO_SOON); // that one has cost a call
    assert_int_equal(table->seats[0].vote_reports[RAIM_VOTE_REFUSED].amount, 1);
    ticks(table, CALL_DELAY_TICKS);
    table->match->members[raim_player_slot((raim_player_id)player_of(table, 1))].admin_level = 1;
    call_on(table, 0, RAIM_VOTE_MUTE, 1);
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_IMMUNE);
    join_from(table, 5, 101, "kid"); // shares the administrator's address
    ticks(table, CALL_DELAY_TICKS);
    call_on(table, 0, RAIM_VOTE_MUTE, 5);
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_IMMUNE);
    call_vote(table, 2, &restart);
    call_vote(table, 1, &restart);
    assert_int_equal(take_refusal(table, 1), RAIM_VOTE_RUNNING);
    request_vote(table, 1, &(struct raim_vote_request){.action = RAIM_VOTE_WITHDRAW, .number = 1});
    assert_int_equal(take_refusal(table, 1), RAIM_VOTE_NOT_CALLER);
    request_vote(table, 2, &(struct raim_vote_request){.action = RAIM_VOTE_WITHDRAW, .number = 1});
    ticks(table, 1);
    assert_int_equal(take_outcome(table), RAIM_VOTE_WITHDRAWN);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_VOTE], 13);
    close_table(table);
}

TEST(newcomers_call_no_vote_and_do_not_count_against_others)
{
    struct raim_match_def def = vote_def();
    def.tuning.votes.newcomer_delay_s = 2;
    struct table *table = open_vote(def, 3);
    call_vote(table, 0, &restart);
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_NEWCOMER);
    assert_int_equal(table->seats[0].vote_reports[RAIM_VOTE_REFUSED].amount, 2);
    ticks(table, 120);
    for (uint32_t i = 3; i < 8; i++)
        join_from(table, i, 200 + i, "new");
    ticks(table, 8);
    call_on(table, 0, RAIM_VOTE_KICK, 7);
    for (uint32_t i = 3; i < 8; i++)
        cast_vote(table, i, RAIM_VOTE_NO);
    ticks(table, 20);
    assert_int_equal(table->match->votes.running.tally.electors, 3);
    assert_int_equal(table->match->votes.running.tally.no, 0);
    assert_true(raim_match_decide_vote(table->match, RAIM_VOTE_CANCELLED));
    assert_int_equal(take_outcome(table), RAIM_VOTE_CANCELLED);
    assert_false(raim_match_decide_vote(table->match, RAIM_VOTE_CANCELLED));
    ticks(table, CALL_DELAY_TICKS);
    call_vote(table, 0, &restart);
    ticks(table, 20);
    assert_int_equal(table->match->votes.running.tally.electors, 8);
    close_table(table);
}

TEST(spectators_bots_and_others_are_not_told_and_do_not_vote)
{
    struct raim_match_def def = vote_def();
    def.bots = 2;
    struct table *table = open_vote(def, 2);
    watch(table, 8, 0);
    play(table, 9); // without the capability
    ticks(table, 8);
    call_vote(table, 8, &restart);
    ticks(table, 1);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_UNEXPECTED], 1);
    call_vote(table, 0, &restart);
    cast_vote(table, 8, RAIM_VOTE_NO);
    ticks(table, 20);
    assert_int_equal(table->match->votes.running.tally.electors, 3);
    for (uint32_t kind = 0; kind < RAIM_VOTE_REPORTS; kind++) {
        assert_int_equal(table->seats[8].vote_counts[kind], 0);
        assert_int_equal(table->seats[9].vote_counts[kind], 0);
    }
    uint32_t announced = 0; // in the chat
    for (uint32_t i = 0; i < table->seats[9].received_count; i++)
        announced += table->seats[9].received[i].event.by_operator &&
                     strcmp(table->seats[9].received[i].event.text,
                            "Vote /yes or /no: A wants to restart the round") == 0;
    assert_int_equal(announced, 1);
    close_table(table);
}

TEST(a_flood_of_choices_is_told_four_times_a_second)
{
    struct table *table = open_vote(vote_def(), 5);
    call_vote(table, 0, &restart);
    ticks(table, 1);
    const uint32_t before = table->seats[1].vote_counts[RAIM_VOTE_TALLY];
    for (int i = 0; i < 120; i++) {
        for (int j = 0; j < 8; j++)
            cast_vote(table, 1, (uint32_t)chance_int(0, 2));
        for (int j = 0; j < 8; j++)
            call_vote(table, 2, &restart);
        tick(table);
    }
    assert_in_range(table->seats[1].vote_counts[RAIM_VOTE_TALLY] - before, 1, 9);
    assert_in_range(table->seats[3].vote_counts[RAIM_VOTE_TALLY], 1, 10);
    assert_in_range(table->seats[2].vote_counts[RAIM_VOTE_REFUSED], 10, 21);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_VOTE], 960);
    close_table(table);
}

// --- Effects ---

TEST(who_leaves_before_the_end_meets_the_result_on_return)
{
    struct table *table = open_vote(vote_def(), 3);
    call_on(table, 0, RAIM_VOTE_KICK, 2);
    ticks(table, 2);
    assert_int_equal(raim_match_vote_target(table->match), 2);
    stand_up(table, 2);
    ticks(table, 2);
    assert_int_equal(raim_match_vote_target(table->match), UINT32_MAX);
    join_from(table, 5, 102, "C again");
    ticks(table, 8);
    cast_vote(table, 1, RAIM_VOTE_YES);
    ticks(table, 20);
    assert_int_equal(take_outcome(table), RAIM_VOTE_PASSED);
    assert_true(table->seats[5].is_over);
    assert_int_equal(table->seats[5].goodbye.reason, RAIM_REASON_KICKED);
    close_table(table);
}

TEST(a_resumed_session_keeps_its_choice_and_its_kick)
{
    struct raim_match_def def = vote_def();
    def.tuning.resume_grace_s = 60;
    struct table *table = open_vote(def, 4);
    const struct raim_welcome welcomes[] = {table->seats[1].welcome, table->seats[3].welcome};
    call_on(table, 0, RAIM_VOTE_KICK, 3);
    cast_vote(table, 1, RAIM_VOTE_NO);
    ticks(table, 20);
    for (uint32_t i = 1; i <= 3; i += 2)
        stand_up(table, i);
    ticks(table, 20);
    assert_int_equal(table->match->votes.running.tally.no, 1);
    for (uint32_t i = 1; i <= 3; i += 2) {
        struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION,
                                   .capabilities = RAIM_CAPABILITY_VOTES,
                                   .resume = true,
                                   .name = "B"};
        memcpy(hello.token, welcomes[i / 2].token, sizeof hello.token);
        connect_seat(table, 5 + i, &hello);
    }
    ticks(table, 40);
    assert_int_equal(table->seats[6].vote_reports[RAIM_VOTE_TALLY].choice, RAIM_VOTE_NO);
    assert_int_equal(raim_match_vote_target(table->match), 8);
    cast_vote(table, 2, RAIM_VOTE_YES);
    ticks(table, 20);
    assert_int_equal(take_outcome(table), RAIM_VOTE_PASSED);
    assert_int_equal(table->seats[8].goodbye.reason, RAIM_REASON_KICKED);
    close_table(table);
}

TEST(a_vote_mutes_for_a_while_and_on_return)
{
    struct raim_match_def def = vote_def();
    def.tuning.votes.penalty_minutes = 1;
    struct table *table = open_vote(def, 3);
    call_on(table, 0, RAIM_VOTE_MUTE, 2);
    cast_vote(table, 1, RAIM_VOTE_YES);
    assert_int_equal(await_outcome(table), RAIM_VOTE_PASSED);
    say(table, 2, "hello");
    say(table, 1, "hello");
    assert_int_equal(counts(table).refused[RAIM_REFUSED_MUTED], 1);
    stand_up(table, 2);
    join_from(table, 2, 102, "C again");
    ticks(table, 8);
    say(table, 2, "hello");
    assert_int_equal(counts(table).refused[RAIM_REFUSED_MUTED], 2);
    ticks(table, 61 * 60);
    say(table, 2, "hello");
    assert_int_equal(counts(table).refused[RAIM_REFUSED_MUTED], 2);
    close_table(table);
}

TEST(a_vote_makes_a_player_watch_for_a_while)
{
    struct raim_match_def def = vote_def();
    def.tuning.votes.penalty_minutes = 1;
    struct table *table = open_vote(def, 3);
    call_on(table, 0, RAIM_VOTE_SPECTATE, 2);
    cast_vote(table, 1, RAIM_VOTE_YES);
    assert_int_equal(await_outcome(table), RAIM_VOTE_PASSED);
    ticks(table, 2);
    const char *text = "voted to watch: join as a spectator, or play again in 1 minutes";
    assert_string_equal(table->seats[2].goodbye.text, text);
    stand_up(table, 2);
    join_from(table, 2, 102, "C again");
    ticks(table, 2);
    assert_true(table->seats[2].is_over);
    assert_int_equal(table->seats[2].goodbye.reason, RAIM_REASON_KICKED);
    assert_string_equal(table->seats[2].goodbye.text, text);
    stand_up(table, 2);
    watch(table, 2, 0);
    raim_match_set_origin(table->match, 2, 102, 0);
    ticks(table, 8);
    assert_int_equal(counts(table).spectators, 1);
    ticks(table, 61 * 60);
    join_from(table, 7, 102, "C at last");
    ticks(table, 8);
    assert_int_equal(counts(table).players, 3);
    close_table(table);
}

static void pass(struct table *table, const struct raim_vote_subject *subject)
{
    call_vote(table, 0, subject);
    cast_vote(table, 1, RAIM_VOTE_YES);
    ticks(table, 1);
    assert_int_equal(take_outcome(table), RAIM_VOTE_PASSED);
}

TEST(a_round_restarts_on_its_map)
{
    struct table *table = open_vote(vote_def(), 2);
    raim_match_set_next_map(table->match, "ruins");
    pass(table, &restart);
    assert_int_equal(raim_match_round(table->match).phase, RAIM_MATCH_BREAK);
    assert_true(raim_match_replays_map(table->match));
    ticks(table, 10);
    assert_string_equal(table->seats[0].phase.next_map, "");
    ticks(table, 60);
    assert_int_equal(raim_match_round(table->match).round, 2);
    assert_false(raim_match_replays_map(table->match));
    ticks(table, CALL_DELAY_TICKS);
    pass(table, &(struct raim_vote_subject){.kind = RAIM_VOTE_NEXTMAP});
    assert_int_equal(raim_match_round(table->match).phase, RAIM_MATCH_BREAK);
    assert_false(raim_match_replays_map(table->match));
    ticks(table, 10);
    assert_string_equal(table->seats[0].phase.next_map, "ruins");
    call_vote(table, 1, &restart);
    assert_int_equal(take_refusal(table, 1), RAIM_VOTE_NOT_NOW); // in a break
    close_table(table);
}

TEST(a_round_is_extended_three_times)
{
    const struct raim_vote_subject extend = {.kind = RAIM_VOTE_EXTEND, .minutes = 10};
    struct table *table = open_vote(vote_def(), 2);
    for (int i = 0; i < 3; i++) {
        const uint32_t before = raim_match_round(table->match).left_ticks;
        pass(table, &extend);
        assert_int_equal(raim_match_round(table->match).left_ticks, before - 1 + 36000);
        ticks(table, CALL_DELAY_TICKS + 5);
        assert_int_equal(table->seats[1].phase.end_tick,
                         raim_match_tick(table->match) + raim_match_round(table->match).left_ticks);
        assert_int_equal(table->seats[1].phase.round, 1);
    }
    call_vote(table, 0, &extend);
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_NOT_NOW);
    close_table(table);
}

TEST(a_pause_by_vote_ends_by_vote_or_after_two_minutes)
{
    struct table *table = open_vote(vote_def(), 2);
    pass(table, &pause_vote);
    ticks(table, CALL_DELAY_TICKS);
    assert_int_equal(raim_match_round(table->match).phase, RAIM_MATCH_PAUSED);
    pass(table, &pause_vote);
    ticks(table, CALL_DELAY_TICKS);
    assert_int_equal(raim_match_round(table->match).phase, RAIM_MATCH_PLAY);
    pass(table, &pause_vote);
    ticks(table, 119 * 60);
    assert_int_equal(raim_match_round(table->match).phase, RAIM_MATCH_PAUSED);
    ticks(table, 61);
    assert_int_equal(raim_match_round(table->match).phase, RAIM_MATCH_PLAY);
    raim_match_pause(table->match, true);
    ticks(table, 10);
    call_vote(table, 0, &pause_vote);
    assert_int_equal(take_refusal(table, 0), RAIM_VOTE_NOT_NOW); // it is the operator's
    close_table(table);
}

TEST(a_vote_is_moot_when_the_round_ends_before)
{
    struct raim_match_def def = vote_def();
    def.tuning.round_s = 2;
    struct table *table = open_vote(def, 4);
    call_vote(table, 0, &(struct raim_vote_subject){.kind = RAIM_VOTE_EXTEND, .minutes = 1});
    ticks(table, 125);
    assert_int_equal(take_outcome(table), RAIM_VOTE_MOOT);
    close_table(table);
}

TEST(a_paused_vote_survives_a_checkpoint_and_ends_after_two_minutes)
{
    struct table *table = open_vote(vote_def(), 2);
    pass(table, &pause_vote);
    ticks(table, 10);
    call_vote(table, 1, &pause_vote);
    ticks(table, 2);
    const size_t size = raim_match_checkpoint_size(table->match);
    uint8_t *bytes = malloc(size);
    raim_match_save(table->match, bytes);
    struct raim_match *next = raim_match_create(&table->def);
    assert_true(raim_match_restore(next, bytes, size));
    struct raim_match_vote vote;
    assert_false(raim_match_running_vote(next, &vote)); // a running vote does not
    for (int i = 0; i < 121 * 60; i++)
        raim_match_step(next);
    assert_int_equal(raim_match_round(next).phase, RAIM_MATCH_PLAY);
    raim_match_destroy(next);
    free(bytes);
    close_table(table);
}

TEST(a_vote_goes_on_with_the_match_that_succeeds)
{
    struct table *table = open_vote(vote_def(), 3);
    call_on(table, 0, RAIM_VOTE_KICK, 2);
    ticks(table, 20);
    struct raim_match *next = raim_match_create(&table->def);
    raim_match_transfer(next, table->match, false);
    raim_match_destroy(table->match);
    table->match = next;
    ticks(table, 40);
    assert_true(is_vote_running(table));
    assert_int_equal(table->seats[1].vote_counts[RAIM_VOTE_BEGAN], 2);
    assert_int_equal(table->seats[1].vote_reports[RAIM_VOTE_BEGAN].subject.player,
                     player_of(table, 2));
    cast_vote(table, 1, RAIM_VOTE_YES);
    ticks(table, 20);
    assert_int_equal(take_outcome(table), RAIM_VOTE_PASSED);
    assert_true(table->seats[2].is_over);
    close_table(table);
}
