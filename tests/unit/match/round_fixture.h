// SPDX-License-Identifier: MIT
// Matches with rounds of a second.
#pragma once

#include "match_internal.h"
#include "peer_fixture.h"

enum { ROUND_TICKS = 60, BREAK_TICKS = 30 };

static inline struct raim_match_def round_def(void)
{
    struct raim_match_def def = usual_def();
    def.tuning.round_s = ROUND_TICKS / 60.0;
    def.tuning.break_s = BREAK_TICKS / 60.0;
    return def;
}

static inline struct raim_match_round round_of(const struct test_match *test)
{
    return raim_match_round(test->match);
}

static inline raim_player *player_of(const struct test_match *test, uint32_t handle)
{
    return &raim_world_players(test->match->world)[test->match->connections[handle].slot];
}
