// SPDX-License-Identifier: MIT
// Clients of a match that vote.
#pragma once

#include "seat_fixture.h"

#include "match_internal.h"

enum { CALL_DELAY_TICKS = 60 }; // of 1 s

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

static inline struct seat *join_from(struct table *table, uint32_t handle, uint64_t origin,
                                     const char *name)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES], token[RAIM_TOKEN_BYTES];
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION,
                               .capabilities = RAIM_CAPABILITY_VOTES};
    struct seat *seat = &table->seats[handle];
    strcpy(hello.name, name);
    assert_false(seat->open);
    seat->open = true;
    for (size_t i = 0; i < sizeof token; i++)
        token[i] = (uint8_t)chance_int(0, 255);
    raim_match_connect(table->match, handle, token);
    raim_match_set_origin(table->match, handle, origin, 0);
    to_match(table, handle, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
    return seat;
}

// Players in the seats from 0 on, each of an origin of its own.
static inline struct table *open_vote(struct raim_match_def def, uint32_t players)
{
    static const char *const maps[] = {"fixture", "ruins"};
    struct table *table = open_table(def);
    raim_match_set_vote_maps(table->match, maps, 2);
    for (uint32_t i = 0; i < players; i++) {
        const char name[] = {'A' + (char)i, '\0'};
        join_from(table, i, 100 + i, name);
    }
    ticks(table, 8);
    return table;
}

static inline void request_vote(struct table *table, uint32_t handle,
                                const struct raim_vote_request *request)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    to_match(table, handle, true, bytes, raim_vote_request_write(request, bytes, sizeof bytes));
}

static inline void call_vote(struct table *table, uint32_t handle,
                             const struct raim_vote_subject *subject)
{
    request_vote(table, handle,
                 &(struct raim_vote_request){.action = RAIM_VOTE_CALL, .subject = *subject});
}

static inline uint32_t player_of(const struct table *table, uint32_t handle)
{
    return table->match->clients[handle].player;
}

static inline void call_on(struct table *table, uint32_t handle, uint32_t kind, uint32_t target)
{
    call_vote(table, handle,
              &(struct raim_vote_subject){
                  .kind = kind, .player = player_of(table, target), .reason = "spam"});
}

static inline void cast_vote(struct table *table, uint32_t handle, uint32_t choice)
{
    request_vote(table, handle,
                 &(struct raim_vote_request){.action = RAIM_VOTE_CAST,
                                             .number = table->match->votes.running.number & 0xFF,
                                             .choice = choice});
}

static inline bool is_vote_running(const struct table *table)
{
    struct raim_match_vote vote;
    return raim_match_running_vote(table->match, &vote);
}

// The outcome of the vote that has ended; 0: none has since the last call.
static inline uint32_t take_outcome(struct table *table)
{
    struct raim_match_vote vote;
    return raim_match_take_ended_vote(table->match, &vote) ? vote.outcome : 0;
}

// Plays until the vote ends, 400 ticks at most.
static inline uint32_t await_outcome(struct table *table)
{
    for (int i = 0; i < 400 && is_vote_running(table); i++)
        tick(table);
    return take_outcome(table);
}

// The refusal that a seat was told last; 0: none since it was cleared.
static inline uint32_t take_refusal(struct table *table, uint32_t handle)
{
    ticks(table, 7);
    const uint32_t refusal = table->seats[handle].vote_reports[RAIM_VOTE_REFUSED].refusal;
    table->seats[handle].vote_reports[RAIM_VOTE_REFUSED].refusal = 0;
    return refusal;
}
