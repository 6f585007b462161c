// SPDX-License-Identifier: MIT
// Finds the bounds of a polygon, also across its first side.
#include "map_near.h"

// Polygons are grown by this, in units, to make up for rounding and touching.
static const double margin = 1e-6;

void raim_map_near_begin(struct raim_map_near *near, const struct raim_map *map,
                         const raim_vec2 *corners, int count)
{
    const raim_vec2 side = raim_vec2_sub(corners[count > 1 ? 1 : 0], corners[0]);
    raim_box box = {corners[0], corners[0]};
    near->across = (raim_vec2){-side.y, side.x};
    near->low = near->high = raim_vec2_dot(near->across, corners[0]);
    for (int i = 1; i < count; i++) {
        const double at = raim_vec2_dot(near->across, corners[i]);
        near->low = at < near->low ? at : near->low;
        near->high = at > near->high ? at : near->high;
        box = raim_box_include(box, corners[i]);
    }
    const double slack = margin * (fabs(side.x) + fabs(side.y)); // at least by the margin
    near->low = 2 * (near->low - slack);
    near->high = 2 * (near->high + slack);
    near->box = raim_box_grow(box, margin);
    near->obstacles = map->obstacles;
    raim_box_index_find(&map->box_index, near->box, &near->search);
}
