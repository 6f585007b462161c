// SPDX-License-Identifier: MIT
// The state of votes, and calling and casting them.
#pragma once

#include "vote_penalties.h"
#include "votes.h"

struct raim_connection;
struct raim_match;
struct raim_match_session;

// The vote that runs, and what votes leave behind: votes.c. Not part of checkpoints.
struct raim_match_votes {
    struct raim_match_vote running; // with subject.kind 0: none runs; `number` is then the last one
    struct raim_match_vote ended;   // the last one
    bool has_ended;                 // `ended` was not taken yet
    bool ends_round;                // with this step
    bool replays_map;               // in the next round
    char cancelled[RAIM_MAX_CHAT_BYTES + 1]; // by a restart, in words; "": none
    struct raim_vote_party caller, target;   // of the running vote
    uint32_t began_tick, end_tick, counted_tick;
    uint32_t choices;        // cast in the running vote
    uint32_t tally_version;  // counts changes of running.tally
    uint32_t paused_ticks;   // of a pause by a vote
    uint32_t extended_round; // with extensions
    uint32_t extensions;
    uint32_t offer_version; // counts changes of what may be voted for, from 1
    struct raim_vote_offer offer;
    struct raim_vote_penalty penalties[RAIM_VOTE_PENALTIES];
};

// Call it at the begin of each step.
void raim_votes_step(struct raim_match *match);

// Call, cast and withdraw for a client that plays or watches. Return 0, or an enum
// raim_vote_rejection with its amount.
uint32_t raim_votes_call(struct raim_match *match, const struct raim_connection *client,
                         const struct raim_vote_subject *subject, uint32_t *amount);
uint32_t raim_votes_cast(struct raim_match *match, const struct raim_connection *client,
                         uint32_t choice);
uint32_t raim_votes_withdraw(struct raim_match *match, const struct raim_connection *client);

// Forgets what a vote has decided about the round before.
void raim_votes_begin_round(struct raim_match_votes *votes);

// Whether a vote ends the round with this step. Forgets it.
bool raim_votes_take_round_end(struct raim_match_votes *votes);

// Reports again to every client what may be voted for.
void raim_votes_renew_offer(struct raim_match_votes *votes);

// The kinds that may be voted for, as far as the configuration decides it.
uint32_t raim_votes_offered(const struct raim_match *match);

// Whether a session had been here for newcomer_delay_s at a tick.
bool raim_votes_is_past_newcomer_delay(const struct raim_match *match,
                                       const struct raim_match_session *session, uint32_t tick);
