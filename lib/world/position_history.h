// SPDX-License-Identifier: MIT
// Position history for lag compensation: the positions of all players in the last ticks, for
// bullets that are launched in the past. Units: positions are in units. Thread rule: as for the
// world, which holds the history.
#pragma once

#include "world.h"

// The motion of a player in one tick.
struct raim_tick_motion {
    raim_vec2 from, to; // at the begin and at the end of the tick
    bool shielded;
};

// Records the present tick. Call it when all players have moved and fired, before any spawns.
void raim_position_history_record(struct raim_world *world);

// Finds the motion of a living player in an earlier tick, 1 to max_rewind ticks before the present
// one. Returns false when the player's present life had not begun.
bool raim_position_history_motion(const struct raim_world *world, uint32_t slot, uint32_t tick,
                                  struct raim_tick_motion *motion);

// Returns the largest distance, along an axis, between the present position of any living player
// among `count` slots and its positions in the last `ticks` ticks, 0 to max_rewind.
double raim_position_history_reach(const struct raim_world *world, uint32_t ticks,
                                   const uint16_t *slots, uint32_t count);
