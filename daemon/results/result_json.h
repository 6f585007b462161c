// SPDX-License-Identifier: MIT
// The JSON of results: a line of results.jsonl (results.schema.json), and a leaderboard
// (leaderboard.schema.json). Any thread.
#pragma once

#include "round_report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A line, for free(), without a line feed: the players in the order of their points. Returns NULL
// when memory runs out.
char *result_json_write(const struct round_report *report);

// Whether there were players other than bots.
bool result_json_has_players(const struct round_report *report);

// A player in a result, for the leaderboard.
struct result_player {
    raim_player_id id;
    bool verified; // the name is the subject of an access token
    bool has_won;
    char name[RAIM_MAX_NAME_BYTES + 1];
    uint32_t score, deaths, shots, hits;
};

// A result as the leaderboard sees it: without bots, and without players who did nothing.
struct result {
    char arena[RAIM_MAX_ARENA_BYTES + 1];
    char group[RAIM_MAX_ARENA_BYTES + 1]; // the arena, or the template that it was made of
    char map[RAIM_MAP_NAME_BYTES];
    int64_t start_ms, end_ms; // since 1970
    uint32_t player_count;
    struct result_player *players;
};

// Reads a line. Returns false for one that result_json_write has not written, or when memory runs
// out; there is then nothing to clear.
bool result_json_read(const char *line, size_t size, struct result *result);
void result_json_clear(struct result *result);

// A row of a leaderboard.
struct leaderboard_row {
    char name[RAIM_MAX_NAME_BYTES + 1];
    bool verified;
    int64_t rounds, wins, score, deaths, shots, hits;
};

// The document of a leaderboard, for free(). `arena` and `map` may be "". Returns NULL when memory
// runs out.
char *result_json_leaderboard(const char *period, const char *arena, const char *map,
                              const struct leaderboard_row *rows, uint32_t count);
