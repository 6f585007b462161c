// SPDX-License-Identifier: MIT
// Clients of a match that vote.
#pragma once

#include "peer_fixture.h"

#include "match_internal.h"

enum { CALL_DELAY_TICKS = 60 }; // of 1 s

static const struct raim_vote_subject restart_vote = {.kind = RAIM_VOTE_RESTART};
static const struct raim_vote_subject pause_vote = {.kind = RAIM_VOTE_PAUSE};

// Votes without newcomers.
static inline struct raim_match_def vote_def(void)
{
    struct raim_match_def def = usual_def();
    def.spectator_delay_s = 0;
    def.tuning.votes.newcomer_delay_s = 0;
    def.tuning.votes.call_delay_s = 1;
    def.tuning.votes.time_s = 5;
    def.tuning.round_s = 600;
    def.tuning.break_s = 1;
    return def;
}

static inline struct raim_match_def with_newcomers(struct raim_match_def def, double delay_s)
{
    def.tuning.votes.newcomer_delay_s = delay_s;
    return def;
}

static inline struct raim_match_def with_penalty(struct raim_match_def def, uint32_t minutes)
{
    def.tuning.votes.penalty_minutes = minutes;
    return def;
}

static inline struct peer *join_voter(struct test_match *test, uint32_t handle, uint64_t origin,
                                      const char *name)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION,
                               .capabilities = RAIM_CAPABILITY_VOTES};
    strcpy(hello.name, name);
    return join_from(test, handle, origin, 0, &hello);
}

// Players in the peers from 0 on, each of an origin of its own.
static inline struct test_match *open_vote(struct raim_match_def def, uint32_t players)
{
    static const char *const maps[] = {"fixture", "ruins"};
    struct test_match *test = open_test_match(def);
    raim_match_set_vote_maps(test->match, maps, 2);
    for (uint32_t i = 0; i < players; i++) {
        const char name[] = {'A' + (char)i, '\0'};
        join_voter(test, i, 100 + i, name);
    }
    ticks(test, 8);
    return test;
}

static inline void request_vote(struct test_match *test, uint32_t handle,
                                const struct raim_vote_request *request)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    to_match(test, handle, true, bytes, raim_vote_request_write(request, bytes, sizeof bytes));
}

static inline void call_vote(struct test_match *test, uint32_t handle,
                             const struct raim_vote_subject *subject)
{
    request_vote(test, handle,
                 &(struct raim_vote_request){.action = RAIM_VOTE_CALL, .subject = *subject});
}

static inline uint32_t player_of(const struct test_match *test, uint32_t handle)
{
    return test->match->connections[handle].player;
}

static inline void call_on(struct test_match *test, uint32_t handle, uint32_t kind, uint32_t target)
{
    call_vote(test, handle,
              &(struct raim_vote_subject){
                  .kind = kind, .player = player_of(test, target), .reason = "spam"});
}

static inline void cast_vote(struct test_match *test, uint32_t handle, uint32_t choice)
{
    request_vote(test, handle,
                 &(struct raim_vote_request){.action = RAIM_VOTE_CAST,
                                             .number = test->match->votes.running.number & 0xFF,
                                             .choice = choice});
}

static inline bool is_vote_running(const struct test_match *test)
{
    struct raim_match_vote vote;
    return raim_match_running_vote(test->match, &vote);
}

// The outcome of the vote that has ended; 0: none has since the last call.
static inline uint32_t take_outcome(struct test_match *test)
{
    struct raim_match_vote vote;
    return raim_match_take_ended_vote(test->match, &vote) ? vote.outcome : 0;
}

// Plays until the vote ends, 400 ticks at most.
static inline uint32_t await_outcome(struct test_match *test)
{
    for (int i = 0; i < 400 && is_vote_running(test); i++)
        tick(test);
    return take_outcome(test);
}

static inline void assert_tally(struct test_match *test, uint32_t yes, uint32_t no,
                                uint32_t electors)
{
    const struct raim_vote_tally *tally = &test->match->votes.running.tally;
    ticks(test, 20);
    assert_int_equal(tally->yes, yes);
    assert_int_equal(tally->no, no);
    assert_int_equal(tally->electors, electors);
}

// The rejection that a peer was told last; 0: none since it was cleared.
static inline uint32_t take_rejection(struct test_match *test, uint32_t handle)
{
    ticks(test, 7);
    const uint32_t rejection = test->peers[handle].vote_reports[RAIM_VOTE_REJECTED].rejection;
    test->peers[handle].vote_reports[RAIM_VOTE_REJECTED].rejection = 0;
    return rejection;
}

static inline void assert_call_rejected(struct test_match *test, uint32_t handle,
                                        struct raim_vote_subject subject, uint32_t rejection)
{
    call_vote(test, handle, &subject);
    assert_int_equal(take_rejection(test, handle), rejection);
}

// Seconds or players that the last rejection names.
static inline uint32_t rejected_amount(const struct test_match *test, uint32_t handle)
{
    return test->peers[handle].vote_reports[RAIM_VOTE_REJECTED].amount;
}
