// SPDX-License-Identifier: MIT
// The portable state of a match, which survives a change of the checkpoint's layout. Players keep
// their sessions, ids and scores, and respawn. Thread rule: as match.h.
#pragma once

#include "match.h"

#include <stdbool.h>
#include <stdint.h>

struct raim_portable_player {
    char name[RAIM_MAX_NAME_BYTES + 1];
    char subject[RAIM_MAX_NAME_BYTES + 1]; // of its access token; "": none
    uint8_t token[RAIM_TOKEN_BYTES];       // of its session; zero for bots and departed players
    uint32_t id;                           // 0: a new one
    bool bot, muted;
    bool winner; // of the round, in a break
    uint32_t score, deaths;
    uint32_t shots, hits;  // in this round
    uint32_t played_ticks; // since it joined
    uint32_t inputs_due, inputs_missed;
    uint32_t chat_debt_ticks;
    // Where its client was, which the caller notes and reads.
    uint64_t address[3];  // IP address and host
    uint32_t scope, port; // port 0: unknown
};

struct raim_portable_match {
    uint32_t players;                   // the first rows
    uint32_t departed;                  // the following rows, see raim_match_departed
    uint32_t omitted;                   // departed players without a row
    char vote[RAIM_MAX_CHAT_BYTES + 1]; // the running vote in words; "": none
    char map[RAIM_MAP_NAME_BYTES];
    uint32_t tick_hz; // unit of the times in ticks
    uint32_t tick;
    uint32_t events; // number of the next one
    uint32_t round;  // from 1 on
    uint32_t phase;  // enum raim_phase: PLAY or BREAK
    uint32_t paused; // 0, by the operator: 1, by a vote: 2
    bool has_end;
    uint32_t left_ticks; // with has_end
    uint32_t score_limit, played_ticks;
    int64_t start_ms; // see raim_match_set_round_start
};

// Fills the state, a row for each player in the order of slots, and a row for each departed player.
// Leaves out rows beyond `capacity`.
void raim_match_export(const struct raim_match *match, struct raim_portable_match *state,
                       struct raim_portable_player *rows, uint32_t capacity);

// Continues the round in a match that has not stepped yet, with any map, tick rate and rules. All
// clients are then away. The bots are those of the match; as many as both have keep their points.
// If there are more clients than slots, those with the most points stay, and the others have left.
// The vote is cancelled, which each player who resumes is told. Allocates. Returns false and leaves
// the match unchanged for a state that no match can have, or when memory runs out.
bool raim_match_import(struct raim_match *match, const struct raim_portable_match *state,
                       const struct raim_portable_player *rows);

// Adds to a match that was just restored what its checkpoint lacks of the same round: the departed
// players, and the text of the vote. Does nothing for a state of another round or of no match.
void raim_match_import_rest(struct raim_match *match, const struct raim_portable_match *state,
                            const struct raim_portable_player *rows);
