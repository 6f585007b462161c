// SPDX-License-Identifier: MIT
// Interest management: selects the players and bullets that a client's snapshot of a tick may
// contain. An entity may be sent if it is in the viewer's rectangle and no wall hides it, or if
// both could become true while the viewer runs for its latency and the entity moves for up to 67
// ms, or for the latency if that is shorter. This defends against wallhacks, because other entities
// do not reach the client. It reads only a history and the map, so it serves any recorded tick,
// including the delayed ones of spectators. Thread rule: an interest object belongs to one thread
// at a time. Nothing allocates after creation.
//
// How the files work together: history.h quantises each tick once. interest.h selects from a tick
// what a viewer may be sent; it asks visibility_cache.h, which asks visibility.h. If the selection
// exceeds a message, priority.h decides what is written.
//
// What always holds:
// - Visibility errs in one direction only: it sends each entity that could come into sight as said
//   above, and possibly others. Cached answers do the same.
// - All positions are on the wire's grid.
// - raim_history_record writes a history once a tick, in order; queries only read it. Frames older
//   than its ticks are overwritten.
// - The sets of a snapshot hold only living players and flying bullets of its tick.
//
// Who may touch what: raim_history_record and raim_history_copy write a history. A cache belongs to
// one interest object, and only interest.c tells it that a slot holds another entity, or that
// one has moved further than it can run.
//
// What reads as a bug and is none:
// - `seen` of a cache entry may lie in the future.
// - A tick that does not follow the selected one empties the caches, because the ticks between are
//   unknown.
// - `waited` belongs to the client and outlives the snapshot; it is cleared when everything fits.
#pragma once

#include "history.h"

struct raim_interest;

struct raim_interest_def {
    const struct raim_map *map;         // borrowed
    const struct raim_history *history; // borrowed
    raim_rules rules;
    uint32_t tick_hz;
    raim_vec2 view;       // width and height of every viewer's rectangle, in units
    bool sight;           // obstacles hide what is behind them
    uint32_t max_latency; // ticks, of any viewer
};

// The viewer of a snapshot. Several clients may view through one player: its owner and spectators.
struct raim_viewer {
    uint32_t slot;
    bool steers;      // the client plays this player; otherwise it watches. All spectators have the
                      // same latency
    uint32_t latency; // in ticks; entities that could become visible within it are sent
};

// Returns NULL when memory runs out. Destroying NULL does nothing.
struct raim_interest *raim_interest_create(const struct raim_interest_def *def);
void raim_interest_destroy(struct raim_interest *interest);

// The history that was given at creation.
const struct raim_history *raim_interest_history(const struct raim_interest *interest);

// Selects the tick of the following raim_interest_find calls; the history must hold it. Consecutive
// ticks are cheapest: after any other step the visibility cache starts empty.
void raim_interest_set_tick(struct raim_interest *interest, uint32_t tick);

// The selected tick.
uint32_t raim_interest_tick(const struct raim_interest *interest);

// Fills two bit sets of slots, sized by the history's limits: the players and the bullets that a
// viewer may be sent in the selected tick. The viewer's latency must not exceed max_latency, which
// is asserted.
void raim_interest_find(struct raim_interest *interest, const struct raim_viewer *viewer,
                        uint64_t *players, uint64_t *bullets);
