// SPDX-License-Identifier: MIT
// Counts a running vote and decides it.
#pragma once

#include "votes.h"

struct raim_match;

// The running vote as it stands.
struct raim_vote_count {
    struct raim_vote_tally tally;
    uint32_t quorum;   // so many yes pass it when the time is up, see raim_votes_decide
    bool is_broad;     // the yes come from two addresses, or all players from one
    bool may_be_broad; // so they would if every elector said yes
};
struct raim_vote_count raim_votes_count(const struct raim_match *match);

// RAIM_VOTE_PASSED, RAIM_VOTE_FAILED, or 0 while it is open.
uint32_t raim_votes_decide(const struct raim_match *match, const struct raim_vote_count *count,
                           bool is_over);

// The choice of a slot's session in the running vote.
uint32_t raim_votes_choice(const struct raim_match *match, uint32_t slot);

// The number of origins from which active players play: neither away nor idle.
uint32_t raim_votes_addresses(const struct raim_match *match);
