// SPDX-License-Identifier: MIT
// Votes of the players of a match: one at a time, about a player, the map, the round or a pause. A
// vote ends as soon as its outcome is certain, or by its clock. Shares and clocks follow DDNet
// (sv_vote_* in its configuration); who counts does not, because a server that strangers play on
// must not be emptied by one of them.
//
// The electors are the active players, who are neither away nor idle. At most two of an address
// count, unless all active players are at one address. In a vote about a player its target does not
// count, nor do players who joined less than newcomer_delay_s ago. To pass, a vote needs a yes from
// a third of the electors; about a player, from two of them; and, if players are at several
// addresses, from two addresses.
//
// A caller votes yes by calling. Silent electors do not count in the share unless `silent_is_no`.
// An address must wait before it calls another vote, longer after one that failed. Bots and
// spectators do not vote. A player whose connection is lost keeps its choice and counts only if it
// has made one. A restart cancels the running vote, because addresses are not known after it.
#pragma once

#include "vote.h"
#include "wire_limits.h"
#include "world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raim_match;

// Numbers about votes, each a member, a default and a key of the configuration:
// X(type, member, key, default, min, max, unit, when a change applies (enum reader_applies of the
// daemon's configuration), meaning). The defaults but that of call_delay_s are those of DDNet.
#define RAIM_VOTE_TUNING(X)                                                                        \
    X(double, time_s, "time", 25, 5, 300, "s", AT_ONCE,                                            \
      "time for which a vote runs unless its outcome is certain before")                           \
    X(uint32_t, yes_percent, "yes_percent", 50, 1, 99, "percent", AT_ONCE,                         \
      "share of the votes that must be exceeded by those in favour")                               \
    X(double, call_delay_s, "call_delay", 30, 1, 3600, "s", AT_ONCE,                               \
      "time between two votes that an address calls")                                              \
    X(double, newcomer_delay_s, "newcomer_delay", 300, 0, 3600, "s", AT_ONCE,                      \
      "time after joining before which a player cannot call a vote, and does not count in votes "  \
      "about players; and after a vote that failed, for the address of its caller")                \
    X(uint32_t, kick_players, "kick_players", 0, 0, 1000, NULL, AT_ONCE,                           \
      "addresses that must be playing for a vote to kick")                                         \
    X(uint32_t, kick_minutes, "kick_ban", 5, 0, 1440, "min", AT_ONCE,                              \
      "time for which a player who was kicked by a vote may not return; 0 bans nobody")            \
    X(uint32_t, penalty_minutes, "penalty", 3, 1, 1440, "min", AT_ONCE,                            \
      "time for which a vote mutes a player or lets one only watch")

#define RAIM_SETTING_MEMBER(type, member, key, value, min, max, unit, applies, meaning) type member;
#define RAIM_SETTING_DEFAULT(type, member, key, value, min, max, unit, applies, meaning)           \
    .member = (value),

struct raim_vote_tuning {
    uint32_t kinds;    // offered, a set of RAIM_VOTE_BIT; 0: none
    bool silent_is_no; // silent players count as no when the time is up
    RAIM_VOTE_TUNING(RAIM_SETTING_MEMBER)
};

// The defaults: every kind, and DDNet's numbers but call_delay_s.
struct raim_vote_tuning raim_vote_default_tuning(void);

// A vote, running or ended.
struct raim_match_vote {
    uint32_t number; // counts from 1
    struct raim_vote_subject subject;
    raim_player_id caller;
    char caller_name[RAIM_MAX_NAME_BYTES + 1];
    char target_name[RAIM_MAX_NAME_BYTES + 1]; // of subject.player; "" without
    bool resumes;                              // RAIM_VOTE_PAUSE: it ends a pause
    struct raim_vote_tally tally;
    uint32_t left_ms;
    uint32_t outcome;    // enum raim_vote_outcome; 0: it runs
    bool by_operator;    // who decided it
    bool shares_address; // ended: others than the target play from its address
};

// The running vote; false where none runs.
bool raim_match_running_vote(const struct raim_match *match, struct raim_match_vote *vote);

// Takes the last vote that has ended, once. Its effect on this match has happened, except that of
// RAIM_VOTE_MAP, which is up to the caller, as is a ban of an address.
bool raim_match_take_ended_vote(struct raim_match *match, struct raim_match_vote *vote);

// The handle of the client that plays as the target of the running vote; UINT32_MAX: none.
uint32_t raim_match_vote_target(const struct raim_match *match);

// Ends the running vote by the operator's decision: RAIM_VOTE_PASSED, _FAILED or _CANCELLED.
// Returns false where none runs.
bool raim_match_decide_vote(struct raim_match *match, uint32_t outcome);

// Bars the player whom the ended vote `number` has kicked by its name at its address, where the
// caller does not ban the address: others play from it in another match. False where another vote
// runs already.
bool raim_match_bar_kicked(struct raim_match *match, uint32_t number);

// Sets the maps to vote for, at most RAIM_WIRE_VOTE_MAPS; their names are copied.
void raim_match_set_vote_maps(struct raim_match *match, const char *const maps[], uint32_t count);

// Sets from where a client comes: few clients of one origin vote, and spectators of an origin or of
// a network of origins make room for those of others. 0, the initial values: not known; the client
// has its own. Call it before its HELLO is received.
void raim_match_set_origin(struct raim_match *match, uint32_t client, uint64_t origin,
                           uint64_t network);

// Whether the next round is to be played on the present map, by a vote.
bool raim_match_replays_map(const struct raim_match *match);
