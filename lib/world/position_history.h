// SPDX-License-Identifier: MIT
// Where everybody was in the ticks before, for bullets that are launched then.
#pragma once

#include "world.h"

// Where a player ran in a tick.
struct raim_tick_motion {
    raim_vec2 from, to; // when the tick began and when it ended
    bool shielded;
};

// Writes the present tick down; when all have moved and fired, before anybody rises.
void raim_position_history_record(struct raim_world *world);

// Where one who lives now ran in an earlier tick, up to max_rewind before the present one; false
// where it did not live yet, in this life.
bool raim_position_history_motion(const struct raim_world *world, uint32_t slot, uint32_t tick,
                                  struct raim_tick_motion *motion);

// The farthest along an axis from where they are now that any of those who live now was in so many
// ticks, up to max_rewind, before the present one.
double raim_position_history_reach(const struct raim_world *world, uint32_t ticks);
