// SPDX-License-Identifier: MIT
// What is known, and lasts, of who can come to see what: a row for each viewer, with an entry for
// each target. It spares most looks at a map: who was seen can be seen again by going back, and who
// is far behind walls takes time to come out.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raim_pair {
    uint32_t hidden_until; // up to this tick, included, the viewer cannot come to see the target
    // In this tick, as it were, the viewer saw the target: both could go back to where they were,
    // and so for as many ticks more as the viewer's latency has it may be told.
    uint32_t seen;
    // Between which points the viewer last came to see the target, as choices of a runner and, for
    // a bullet, moments of its way; 0 and 0 where none are known.
    uint8_t from, to;
    uint16_t blocker; // the obstacle that last hid the target
};

struct raim_visibility_cache {
    uint32_t targets, viewers;
    struct raim_pair *pairs;
};

// False when memory runs out. What is asked of a viewer or a target must have been forgotten first,
// so that memory is touched only for those that are there.
bool raim_visibility_cache_create(struct raim_visibility_cache *pairs, uint32_t targets,
                                  uint32_t viewers);
void raim_visibility_cache_destroy(struct raim_visibility_cache *pairs);

static inline struct raim_pair *raim_visibility_cache_at(const struct raim_visibility_cache *pairs,
                                                         uint32_t target, uint32_t viewer)
{
    return &pairs->pairs[(size_t)viewer * pairs->targets + target];
}

// Forgets, in a tick, all that is known of a target or of a viewer: it is another one, or elsewhere
// than it can have gone.
void raim_visibility_cache_forget_target(struct raim_visibility_cache *pairs, uint32_t target,
                                         uint32_t tick);
void raim_visibility_cache_forget_viewer(struct raim_visibility_cache *pairs, uint32_t viewer,
                                         uint32_t tick);
