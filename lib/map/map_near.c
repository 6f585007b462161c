// SPDX-License-Identifier: MIT
// Computes the extent of a polygon along the axes and along the normal of its first side.
#include "map_near.h"

// The tolerance for rounding and touching, in units: polygons are grown by it.
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
    // `across` has the length of the side, which is at most this sum of coordinates.
    const double slack = margin * (fabs(side.x) + fabs(side.y));
    near->low = 2 * (near->low - slack);
    near->high = 2 * (near->high + slack);
    near->box = raim_box_grow(box, margin);
    near->obstacles = map->obstacles;
    raim_box_index_find(&map->box_index, near->box, &near->search);
}
