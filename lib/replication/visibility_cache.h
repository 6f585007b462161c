// SPDX-License-Identifier: MIT
// Visibility cache: stores, for each viewer and target, until when an earlier visibility answer
// holds. Visibility is temporally coherent, so most queries need no geometry: a viewer that saw a
// target could see it again by going back, and a player far behind walls needs time to come out.
// visibility.h answers the remaining queries. Thread rule: a cache belongs to one thread at a time.
#pragma once

#include "visibility.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The longest time, in ticks, for which the cache relies on one obstacle to hide a target.
#define RAIM_VISIBILITY_CACHE_REST 8

struct raim_visibility_entry {
    // Runs of the viewer that end by this tick do not show it the target. The target may move for
    // as long as the viewer, less the difference between latency and lead.
    uint32_t hidden_until;
    // The last tick in which the viewer saw the target. Both could return to their positions, so
    // the target may be sent until `seen` plus the viewer's latency. A run or flight may shift
    // `seen` to before or after the real sighting.
    uint32_t seen;
    struct raim_cached_witness witness; // of the last sighting after a run
    uint16_t blocker;                   // the obstacle that last hid the target
    uint16_t target, life;              // to which the entry belongs, see `lives`
};

struct raim_visibility_cache {
    uint32_t targets, viewers;
    // By viewer, with room for all targets: the entries of the latest queries' targets, in
    // ascending order, and their count. So a viewer's entries are contiguous, in a few cache lines.
    struct raim_visibility_entry *entries;
    uint16_t *counts;
    // By viewer, the latency of its latest queries.
    uint8_t *latencies;
    // By target, the number of times that it was forgotten. An entry of another life is invalid.
    uint16_t *lives;
    // The viewer of the present queries; `earlier` is its previous row, `row` the new one.
    uint32_t viewer, count, next_earlier;
    // Ticks by which the viewer's latency has grown or shrunk since its latest queries.
    uint32_t grown, shrunk;
    struct raim_visibility_entry *row, *earlier;
};

// The viewer of queries in one tick.
struct raim_visibility_cache_query {
    struct raim_visibility *visibility; // borrowed; raim_visibility_set_tick was called with `tick`
    uint32_t tick;
    uint32_t latency; // ticks that the viewer may run; equal for all viewers of a row
    uint32_t lead;    // ticks that the target may move, at most the latency
    uint32_t hold;    // see raim_visibility_cache_hold
    struct raim_viewpoint viewpoint;
};

// Allocates an entry for each pair. `targets` must be below 65,535. Returns false when memory runs
// out. Destroy the cache in both cases.
bool raim_visibility_cache_create(struct raim_visibility_cache *pairs, uint32_t targets,
                                  uint32_t viewers);
void raim_visibility_cache_destroy(struct raim_visibility_cache *pairs);

// Returns the number of ticks by which a query shortens the run that shows a visible target. The
// answer then holds for that many ticks.
uint32_t raim_visibility_cache_hold(uint32_t tick_hz);

// Loads all entries into the processor's cache, ahead of the queries of a tick.
void raim_visibility_cache_preload(const struct raim_visibility_cache *pairs);

// Begin and end the queries of one viewer in a tick, with its latency, up to 255 ticks. The cache
// forgets the answers for targets that the viewer does not query. A change of the latency does not
// extend answers: a longer run does not bring back what was seen before, and while a run becomes
// shorter the target moves on.
void raim_visibility_cache_begin(struct raim_visibility_cache *pairs, uint32_t viewer,
                                 uint32_t latency);
void raim_visibility_cache_end(struct raim_visibility_cache *pairs);

// Whether the viewer sees the target or could see it within its latency. Players have one cache and
// bullets another; `target` must belong to this cache. The targets of a viewer must be queried in
// ascending order of their slots.
bool raim_visibility_cache_may_see(struct raim_visibility_cache *pairs,
                                   const struct raim_visibility_cache_query *query,
                                   const struct raim_view_target *target);

// Invalidates all entries of a target or of a viewer, because its slot holds another entity or
// because it has moved further than it can run.
void raim_visibility_cache_forget_target(struct raim_visibility_cache *pairs, uint32_t target);
void raim_visibility_cache_forget_viewer(struct raim_visibility_cache *pairs, uint32_t viewer);
