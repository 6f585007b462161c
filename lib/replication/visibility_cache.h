// SPDX-License-Identifier: MIT
// The visibility cache: what earlier ticks have settled of who can come to see what, a row for each
// viewer with an entry for each target. Visibility changes slowly, so most questions need no look
// at the map: whoever saw something could see it again by going back, and whoever is far behind
// walls takes time to come out. visibility.h answers the others.
// Thread rule: it belongs to one thread at a time.
#pragma once

#include "visibility.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raim_visibility_entry {
    uint32_t hidden_until; // up to this tick, included, the viewer cannot come to see the target
    // In this tick, as it were, the viewer saw the target: both could go back to where they were,
    // and so for as many ticks more as the viewer's latency has it may be told.
    uint32_t seen;
    struct raim_cached_witness witness; // by which the viewer last came to see the target
    uint16_t blocker;                   // the obstacle that last hid the target
};

struct raim_visibility_cache {
    uint32_t targets, viewers;
    struct raim_visibility_entry *pairs;
};

// What a viewer asks in a tick.
struct raim_visibility_cache_query {
    struct raim_visibility *visibility; // borrowed; has been turned to the tick
    uint32_t tick;
    uint32_t viewer;  // its row
    uint32_t latency; // ticks ahead; one for all viewers of a row
    uint32_t hold;    // see raim_visibility_cache_rest
    struct raim_viewpoint viewpoint;
};

// False when memory runs out. A viewer or a target must have been forgotten before it is asked for,
// so that memory is touched only for those that are there. Targets that are players have the rows
// of their own places, where they are viewers.
bool raim_visibility_cache_create(struct raim_visibility_cache *pairs, uint32_t targets,
                                  uint32_t viewers);
void raim_visibility_cache_destroy(struct raim_visibility_cache *pairs);

// The ticks for which an answer should hold on: horizons are up to so much longer than a latency.
uint32_t raim_visibility_cache_hold(uint32_t tick_hz);

// Whether the viewer sees the target or could come to see it within its latency. `pairs` are those
// of targets of this kind.
bool raim_visibility_cache_may_see(struct raim_visibility_cache *pairs,
                                   const struct raim_visibility_cache_query *query,
                                   const struct raim_view_target *target);

// Forgets, in a tick, all that is known of a target or of a viewer: it is another one, or elsewhere
// than it can have gone.
void raim_visibility_cache_forget_target(struct raim_visibility_cache *pairs, uint32_t target,
                                         uint32_t tick);
void raim_visibility_cache_forget_viewer(struct raim_visibility_cache *pairs, uint32_t viewer,
                                         uint32_t tick);
