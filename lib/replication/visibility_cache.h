// SPDX-License-Identifier: MIT
// Visibility cache: for each viewer and target, until when an earlier visibility answer holds.
// Visibility is temporally coherent, so most queries need no geometry: a viewer that saw a target
// could see it again by going back, and a player far behind walls needs time to come out.
// visibility.h answers the remaining queries. Thread rule: a cache belongs to one thread at a time.
#pragma once

#include "visibility.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The longest time, in ticks, for which one obstacle settles that a target is hidden.
#define RAIM_VISIBILITY_CACHE_REST 8

struct raim_visibility_entry {
    // No run that ends by this tick shows the target to the viewer. The target may move for as long
    // as the viewer, less the difference between latency and lead.
    uint32_t hidden_until;
    // The last tick in which the viewer saw the target. Both could return to their positions, so
    // the target may be sent until `seen` plus the viewer's latency. It may lie in the past or
    // future of the real sighting, where a run or flight shifts it.
    uint32_t seen;
    struct raim_cached_witness witness; // of the last sighting after a run
    uint16_t blocker;                   // the obstacle that last hid the target
    uint16_t target, life;              // which the entry belongs to, see below
};

struct raim_visibility_cache {
    uint32_t targets, viewers;
    // By viewer, room for all targets, and how many there are: the targets of the latest queries,
    // in ascending order. So a viewer's entries are contiguous, in a few cache lines.
    struct raim_visibility_entry *entries;
    uint16_t *counts;
    // By viewer, the latency of its latest queries.
    uint8_t *latencies;
    // By target, how often it was forgotten. An entry of another life is invalid.
    uint16_t *lives;
    // The viewer of the present queries, its row as it was, and what the queries have made of it.
    uint32_t viewer, count, next_earlier;
    // Ticks by which the viewer's latency is longer, or shorter, than in its latest queries.
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

// Allocates an entry for each pair. Returns false when memory runs out; destroy the cache then,
// too. There are fewer than 65,535 targets.
bool raim_visibility_cache_create(struct raim_visibility_cache *pairs, uint32_t targets,
                                  uint32_t viewers);
void raim_visibility_cache_destroy(struct raim_visibility_cache *pairs);

// The ticks by which a query shortens the run that shows a visible target, so that the answer holds
// for as many ticks.
uint32_t raim_visibility_cache_hold(uint32_t tick_hz);

// Loads all entries into the processor's cache, ahead of the queries of a tick.
void raim_visibility_cache_preload(const struct raim_visibility_cache *pairs);

// Begins and ends the queries of one viewer in a tick, with its latency, up to 255 ticks. Answers
// for targets that it does not query are forgotten. Where the latency changes, answers hold no
// longer than with the earlier one: a longer run does not bring back what was seen before it, and
// while a run becomes shorter the target moves on.
void raim_visibility_cache_begin(struct raim_visibility_cache *pairs, uint32_t viewer,
                                 uint32_t latency);
void raim_visibility_cache_end(struct raim_visibility_cache *pairs);

// Whether the viewer sees the target or could see it within its latency. Players and bullets have a
// cache of their own each; `target` must belong to this cache, and each target of a viewer must
// have a higher slot than the one before it.
bool raim_visibility_cache_may_see(struct raim_visibility_cache *pairs,
                                   const struct raim_visibility_cache_query *query,
                                   const struct raim_view_target *target);

// Invalidates all entries of a target or of a viewer, because its slot holds another entity or
// because it has moved further than it can run.
void raim_visibility_cache_forget_target(struct raim_visibility_cache *pairs, uint32_t target);
void raim_visibility_cache_forget_viewer(struct raim_visibility_cache *pairs, uint32_t viewer);
