// SPDX-License-Identifier: MIT
// Interest management: which players and bullets a client's snapshot of a tick may contain. These
// are the ones in the viewer's rectangle, or that could come into it within its latency, and that
// no wall hides, or not for so long. It works on a history and the map alone, so that it serves any
// tick of the past.
// Thread rule: it belongs to one thread at a time. Nothing allocates after creation.
#pragma once

#include "distance_field.h"
#include "history.h"

struct raim_interest;

struct raim_interest_def {
    const struct raim_map *map;                       // borrowed
    const struct raim_distance_field *distance_field; // of that map; borrowed
    const struct raim_history *history;               // borrowed
    raim_rules rules;
    uint32_t tick_hz;
    raim_vec2 view;       // width and height of every viewer's rectangle, in units
    bool sight;           // walls hide what is behind them
    uint32_t max_latency; // ticks, of any viewer
};

// Who looks. Several may look through the eyes of one player.
struct raim_viewer {
    uint32_t slot;
    bool steers;      // it plays this player, others watch it; all of these have one latency
    uint32_t latency; // ticks ahead for which it is sent what it could come to see
};

// Returns NULL when memory runs out. Destroying NULL does nothing.
struct raim_interest *raim_interest_create(const struct raim_interest_def *def);
void raim_interest_destroy(struct raim_interest *interest);

// The history that it was made for.
const struct raim_history *raim_interest_history(const struct raim_interest *interest);

// Turns to a tick that the history holds, before viewers are asked for in it. Consecutive ticks are
// cheapest: after any others the visibility cache starts empty.
void raim_interest_set_tick(struct raim_interest *interest, uint32_t tick);

// The tick that it was turned to.
uint32_t raim_interest_tick(const struct raim_interest *interest);

// Fills two sets of places, with room for the history's limits: of the players and of the bullets
// that a viewer may be sent in this tick.
void raim_interest_find(struct raim_interest *interest, const struct raim_viewer *viewer,
                        uint64_t *players, uint64_t *bullets);
