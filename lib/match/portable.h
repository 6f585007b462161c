// SPDX-License-Identifier: MIT
// The portable state of a match: what outlives a change of the checkpoint's layout. Players keep
// their sessions, ids and scores, and respawn. Thread rule: as match.h.
#pragma once

#include "match.h"

#include <stdbool.h>
#include <stdint.h>

struct raim_portable_player {
    char name[RAIM_MAX_NAME_BYTES + 1];
    char subject[RAIM_MAX_NAME_BYTES + 1]; // of its access token; "": none
    uint8_t token[RAIM_TOKEN_BYTES];       // of its session; bots: zero
    uint32_t id;                           // 0: a new one
    bool bot, muted;
    bool winner; // of the round, in a break
    uint32_t score, deaths;
    uint32_t shots, hits;  // in this round
    uint32_t played_ticks; // since it joined
    uint32_t inputs_due, inputs_missed;
    uint32_t chat_debt_ticks;
};

struct raim_portable_match {
    char map[RAIM_MAP_NAME_BYTES];
    uint32_t tick_hz; // of the times in ticks
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

// Fills the state, and a row for each player, in the order of their slots, and returns their
// number. There is room for `capacity` rows; further players are left out.
uint32_t raim_match_export(const struct raim_match *match, struct raim_portable_match *state,
                           struct raim_portable_player *players, uint32_t capacity);

// Continues the round in a match that has not stepped yet, whatever its map, ticks and rules. All
// clients are then away, and bots are those of the match; as many as both have keep their points.
// Allocates. Returns false and leaves the match unchanged for more players than it has slots, a
// state that no match can have, or when memory runs out.
bool raim_match_import(struct raim_match *match, const struct raim_portable_match *state,
                       const struct raim_portable_player *players, uint32_t count);
