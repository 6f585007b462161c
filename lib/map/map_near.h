// SPDX-License-Identifier: MIT
// Goes through the obstacles of a map that are near a convex polygon of a few corners, which may be
// as thin as a line or a point: those in its bounds, but for most that lie beside its first side.
#pragma once

#include "map.h"

struct raim_map_near {
    const raim_polygon *obstacles;
    struct raim_box_index_search search;
    raim_box box;
    raim_vec2 across; // the first side, and what of it the polygon covers, twice
    double low, high;
};

// The polygon's longest side, or one of them, should be the first.
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

// The next obstacle, each only once, or NULL. All that touch the polygon come, and some others.
static inline const raim_polygon *raim_map_near_next(struct raim_map_near *near)
{
    for (int index; (index = raim_box_index_next(&near->search)) >= 0;)
        if (raim_map_near_touches(near, near->obstacles[index].bounds))
            return &near->obstacles[index];
    return NULL;
}
