// SPDX-License-Identifier: MIT
// Projectile collision: the first obstacle or player that a bullet hits in a step. A bullet that
// has just been fired also flies through the recorded ticks that its shooter had not seen yet.
// Thread rule: as for the world; the functions keep no state.
#pragma once

#include "player_grid.h"

// The last of the bullets that destroy a player in this step: only an earlier one hits it. Times
// are in ticks, relative to the begin of the present tick: from 0 to 1 in it, negative before it.
struct raim_last_hit {
    double time; // RAIM_SWEEP_MISS: none, it survives those that have hit it
    uint32_t bullet;
};

// The data that all bullets of a step share.
struct raim_projectile_context {
    const struct raim_world *world;
    raim_bullet *bullets; // those that are reflected change
    const struct raim_map *map;
    // Where the living are now. A cell is marked when a bullet that is there at the middle of the
    // tick may hit a player during the tick.
    struct raim_player_grid players;
    double leg;          // upper bound of the way of a bullet in a tick, in units
    double reach;        // the longest movement of a player along an axis in this step, in units
    double rewind_reach; // raim_position_history_reach of those ticks that any bullet flies through
    int32_t lifetime;    // of a bullet, in ticks
    struct raim_last_hit *hits; // by slot; borrowed
};

// The outcome of a flight in a tick.
enum raim_projectile_end {
    RAIM_PROJECTILE_GOES_ON, // also when it is reflected
    RAIM_PROJECTILE_STOPS,   // at an obstacle or the border, or its lifetime is over
    RAIM_PROJECTILE_HITS,
};

// The hit of a bullet on a player.
struct raim_projectile_impact {
    double time;   // in ticks from where the present tick begins, see raim_last_hit
    uint32_t slot; // the victim's
    bool shielded; // at the time of the hit: the victim survives
};

// Returns half the width of a square around a living player. Every cell that the square touches
// must be marked in `players`. The members `leg` and `reach` must be set.
double raim_projectile_range(const struct raim_projectile_context *context);

// The bullets of a step that something may stop, as slots in the order in which they were given.
struct raim_projectile_sort {
    uint32_t meeting_count, stopping_count;
    uint16_t meeting[RAIM_MAX_BULLETS];  // a player is near, or the bullet is new
    uint16_t stopping[RAIM_MAX_BULLETS]; // only an obstacle is near, or the lifetime is over
};

// Sorts the bullets in `count` slots. Most are in the open and in neither list.
void raim_projectile_sort(const struct raim_projectile_context *context, const uint16_t *slots,
                          uint32_t count, struct raim_projectile_sort *sort);

// Returns true when an obstacle or the end of its lifetime stops a bullet of the list `stopping`.
bool raim_projectile_stops(const struct raim_projectile_context *context, uint32_t slot);

// Flies a bullet through a tick past obstacles alone, which may reflect it. Returns false when an
// obstacle or the end of its lifetime stops it.
bool raim_bullet_pass(raim_bullet *bullet, const struct raim_map *map, const raim_rules *rules,
                      uint32_t tick_hz, uint32_t tick);

// Flies the bullet in a slot through the present tick and, if it was fired in this tick, first
// through the ticks since the one its shooter saw, up to the first player that it hits before
// anything else stops it. It passes players that earlier bullets destroy. `impact` is set on a
// hit.
enum raim_projectile_end raim_projectile_find(const struct raim_projectile_context *context,
                                              uint32_t bullet,
                                              struct raim_projectile_impact *impact);
