// SPDX-License-Identifier: MIT
// Penalties that votes have imposed on players.
#pragma once

#include "votes.h"

struct raim_connection;
struct raim_match;

// Who calls a vote or is its target, so that he is known after he has left.
struct raim_vote_party {
    raim_player_id player;
    uint64_t origin;                       // 0: not known
    uint64_t skeleton;                     // of the name, see name.h
    char subject[RAIM_MAX_NAME_BYTES + 1]; // of the access token; "": none
};

// What a vote has imposed on a player.
struct raim_vote_penalty {
    uint8_t kind;        // RAIM_VOTE_KICK, _MUTE, _SPECTATE, or RAIM_VOTE_NO_CALL; 0: free
    bool shares_address; // others play from it, who are spared
    struct raim_vote_party party;
    uint32_t end_tick;
};

// The kind of a penalty: this address may not call a vote.
#define RAIM_VOTE_NO_CALL RAIM_VOTE_KINDS

#define RAIM_VOTE_PENALTIES 32 // at once; a further one replaces the one that would end first

// The session of a slot, to be known after it has left.
struct raim_vote_party raim_votes_party(const struct raim_match *match, uint32_t slot);

// Whether a party is the player `party` or that one come back.
bool raim_votes_is_same(const struct raim_vote_party *party, bool shares_address,
                        const struct raim_vote_party *other);

// Imposes a penalty from now on.
void raim_votes_punish(struct raim_match *match, uint32_t kind, const struct raim_vote_party *party,
                       bool shares_address, double seconds);

// Frees the penalties that have ended, so that the tick may wrap.
void raim_votes_expire_penalties(struct raim_vote_penalty penalties[RAIM_VOTE_PENALTIES],
                                 uint32_t tick);

// Ticks until the player of a slot may call a vote, as far as its address has called others.
int32_t raim_votes_call_delay(const struct raim_match *match, uint32_t slot);

// Whether a vote has muted a player.
bool raim_votes_is_muted(const struct raim_match *match, raim_player_id id);

// Whether a vote bars a client from playing, or from watching too; writes the reason into
// client->why.
bool raim_votes_bars(const struct raim_match *match, struct raim_connection *client,
                     const char *name, const char *subject);

// Why a player was kicked or has to watch; `text` has room for RAIM_MAX_TEXT_BYTES + 1.
void raim_votes_explain(uint32_t kind, uint32_t minutes, char *text);
