// SPDX-License-Identifier: MIT
// The shared history of quantised worlds: one frame a tick, made once and used for every client,
// as what is told now and later as the baseline of what is told then.
#pragma once

#include "snapshot.h"
#include "world.h"

#include <stdbool.h>

struct raim_history {
    // By tick modulo RAIM_SNAPSHOT_HISTORY. The sets hold everybody who lives and flies; `self` is
    // not used.
    struct raim_wire_frame frames[RAIM_SNAPSHOT_HISTORY];
    struct raim_wire_limits limits;
    void *memory;
};

// False when memory runs out.
bool raim_history_create(struct raim_history *history, const struct raim_world *world);
void raim_history_destroy(struct raim_history *history);

// The frame of a tick, which must be among the last RAIM_SNAPSHOT_HISTORY recorded.
static inline struct raim_wire_frame *raim_history_at(struct raim_history *history, uint32_t tick)
{
    return &history->frames[tick % RAIM_SNAPSHOT_HISTORY];
}

// Quantises the world as the frame of its tick.
void raim_history_record(struct raim_history *history, const struct raim_world *world);

// A position on the wire's grid, to the nearest 1/32 unit, halves up.
int32_t raim_quantise(double units);
