// SPDX-License-Identifier: MIT
// What a bullet meets in a step: in the present tick and, as it is fired, before that in the ticks
// which its shooter had yet to see.
#pragma once

#include "broadphase.h"

// The bullet that reaches a player first in this step. Times are in ticks from where the present
// tick begins: from 0 to 1 in it, negative before it.
struct raim_first_hit {
    double time; // RAIM_SWEEP_MISS: none
    uint32_t bullet;
};

// What all flights of a step share.
struct raim_projectile_context {
    const struct raim_world *world;
    const raim_bullet *bullets;
    const struct raim_map *map;
    struct raim_broadphase broadphase; // where the living are now
    int32_t lifetime;                  // of a bullet, in ticks
    double rewind_reach; // raim_position_history_reach of those ticks that any bullet flies through
    struct raim_first_hit *hits; // by slot; borrowed
};

// How a flight ends in a tick.
enum raim_projectile_end {
    RAIM_PROJECTILE_GOES_ON,
    RAIM_PROJECTILE_STOPS, // at an obstacle or the border, or its lifetime is over
    RAIM_PROJECTILE_HITS,
};

// Where a bullet meets a player.
struct raim_projectile_impact {
    double time;   // in ticks from where the present tick begins, see raim_first_hit
    uint32_t slot; // the victim's
    bool shielded; // as it was hit: the victim lives on
};

// Flies a bullet in the present tick, and before that, if it has just been fired, in those since
// the tick which its shooter saw: up to the first player that it meets before anything else stops
// it. Passes those whom an earlier bullet takes. The impact is given if it hits.
enum raim_projectile_end raim_projectile_find(const struct raim_projectile_context *context,
                                              uint32_t bullet,
                                              struct raim_projectile_impact *impact);
