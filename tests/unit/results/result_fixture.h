// SPDX-License-Identifier: MIT
// Reports of rounds, and a directory for their files.
#pragma once

#include "chance.h"
#include "files_fixture.h"
#include "result_json.h"

#define DAY_MS INT64_C(86400000)

// Freed at the test's end.
static inline struct round_report *make_report(uint32_t players)
{
    struct round_report *report = freed(calloc(1, round_report_bytes(players)));
    *report = (struct round_report){
        .arena = "duel",
        .map = "Duel \"1\"",
        .round = 3,
        .ended = ROUND_END_SCORE,
        .start_ms = 1700000000123,
        .end_ms = 1700000060456,
        .played_ticks = 3600,
        .tick_hz = 60,
        .round_s = 300,
        .score_limit = 20,
        .rules = raim_rules_default(),
        .player_count = players,
    };
    for (uint32_t i = 0; i < players; i++)
        report->players[i].ping_ms = ROUND_NO_PING;
    return report;
}

static inline struct round_player *set_player(struct round_report *report, uint32_t index,
                                              const char *name, const char *subject, uint32_t score)
{
    struct round_player *player = &report->players[index];
    *player = (struct round_player){.id = (raim_player_id)(1024 + index),
                                    .score = score,
                                    .deaths = 1,
                                    .shots = 2 * score + 1,
                                    .hits = score,
                                    .ping_ms = 20};
    snprintf(player->name, sizeof player->name, "%s", name);
    snprintf(player->subject, sizeof player->subject, "%s", subject);
    return player;
}
