// SPDX-License-Identifier: MIT
// An iterator over the obstacles of a map near a convex polygon, which may degenerate to a line or
// a point. It filters by the bounding box and by one separating axis, the normal of the polygon's
// first side. Thread rule: an iterator belongs to one thread at a time; any threads may share the
// map.
#pragma once

#include "map.h"

struct raim_map_near {
    const raim_polygon *obstacles;
    struct raim_box_index_search search;
    raim_box box;
    raim_vec2 across; // normal of the first side, and twice the polygon's extent along it
    double low, high;
};

// Begins an iteration. `corners` holds 1 or more corners; the filter is best when the first side is
// the longest. Borrows the map.
void raim_map_near_begin(struct raim_map_near *near, const struct raim_map *map,
                         const raim_vec2 *corners, int count);

static inline bool raim_map_near_touches(const struct raim_map_near *near, raim_box bounds)
{
    if (!raim_box_overlaps(bounds, near->box))
        return false;
    const raim_vec2 across = near->across;
    const double centre = raim_vec2_dot(across, raim_vec2_add(bounds.min, bounds.max));
    const raim_vec2 size = raim_vec2_sub(bounds.max, bounds.min);
    const double reach = fabs(across.x) * size.x + fabs(across.y) * size.y;
    return (centre - reach <= near->high) & (centre + reach >= near->low);
}

// Returns the next obstacle, each one once, or NULL at the end. Reports every obstacle that touches
// the polygon, and some others.
static inline const raim_polygon *raim_map_near_next(struct raim_map_near *near)
{
    for (int index; (index = raim_box_index_next(&near->search)) >= 0;)
        if (raim_map_near_touches(near, near->obstacles[index].bounds))
            return &near->obstacles[index];
    return NULL;
}
