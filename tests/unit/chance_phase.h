// SPDX-License-Identifier: MIT
// Random phases for WELCOME and EVENTS.
#pragma once

#include "hostile.h"
#include "phase.h"

static inline struct raim_wire_phase chance_phase(void)
{
    struct raim_wire_phase phase = {
        .phase = (enum raim_phase)chance_int(0, RAIM_PHASES - 1),
        .round = chance_magnitude(16),
        .has_end = chance_bool(),
        .score_limit = chance_magnitude(32),
    };
    if (phase.has_end)
        phase.end_tick = chance_magnitude(32);
    if (phase.phase == RAIM_PHASE_BREAK) {
        phase.winner = chance_magnitude(16);
        chance_text(phase.next_map, RAIM_MAX_TITLE_BYTES);
    }
    return phase;
}

static inline void assert_same_phase(const struct raim_wire_phase *a,
                                     const struct raim_wire_phase *b)
{
    assert_int_equal(a->phase, b->phase);
    assert_int_equal(a->round, b->round);
    assert_int_equal(a->has_end, b->has_end);
    assert_int_equal(a->end_tick, b->end_tick);
    assert_int_equal(a->score_limit, b->score_limit);
    assert_int_equal(a->winner, b->winner);
    assert_string_equal(a->next_map, b->next_map);
}
