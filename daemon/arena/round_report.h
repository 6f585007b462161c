// SPDX-License-Identifier: MIT
// The result of a round, as the worker of an arena hands it to the main thread (event_queue.h).
// Plain data without pointers.
#pragma once

#include "match.h"
#include "recording_name.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stdint.h>

enum round_end {
    ROUND_END_CLOCK,    // its time was up
    ROUND_END_SCORE,    // a player reached score_limit
    ROUND_END_CHANGED,  // another match took its place
    ROUND_END_SHUTDOWN, // the arena or the server ended; the next process may continue the round
};

#define ROUND_NO_PING UINT32_MAX

struct round_player {
    raim_player_id id;
    bool bot;
    bool left; // before the end
    char name[RAIM_MAX_NAME_BYTES + 1];
    char subject[RAIM_MAX_NAME_BYTES + 1]; // see struct raim_match_player
    uint32_t score, deaths, shots, hits;
    uint32_t ping_ms; // at the end; ROUND_NO_PING: a bot, or not connected then
};

struct round_report {
    char arena[RAIM_MAX_ARENA_BYTES + 1];
    char template_name[RAIM_MAX_ARENA_BYTES + 1]; // of an arena on demand; "": none
    char map[RAIM_MAP_NAME_BYTES];
    uint32_t round; // from 1 on
    enum round_end ended;
    int64_t start_ms, end_ms; // since 1970
    uint32_t played_ticks;    // without pauses
    uint32_t tick_hz;
    double round_s; // limits, 0: none
    uint32_t score_limit;
    bool sight;
    raim_rules rules;
    raim_player_id winner;                // RAIM_NOBODY: a draw, or the round was cut short
    char recording[RECORDING_NAME_BYTES]; // the file that has the end of the round; "": none
    uint32_t omitted; // players who left before the end and are not among `players`
    uint32_t player_count;
    struct round_player players[];
};

static inline size_t round_report_bytes(uint32_t players)
{
    return sizeof(struct round_report) + players * sizeof(struct round_player);
}
