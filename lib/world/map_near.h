// SPDX-License-Identifier: MIT
// Goes through the obstacles of a map that are near a convex polygon of a few corners, which may be
// as thin as a line or a point.
#pragma once

#include "map_grid.h"

#define RAIM_MAP_NEAR_CORNERS 4 // at most

struct raim_map_near {
    const struct raim_map *map;
    int count;
    raim_vec2 corners[RAIM_MAP_NEAR_CORNERS];
    double slopes[RAIM_MAP_NEAR_CORNERS]; // x over y of the side from corner i to the next
    double cell;                          // the width of one
    raim_box box;
    struct raim_map_span span;
    int row;
    struct raim_map_run run;               // what remains of the row
    uint64_t met[RAIM_MAX_OBSTACLES / 64]; // a bit for each obstacle that has had its turn
};

void raim_map_near_begin(struct raim_map_near *near, const struct raim_map *map,
                         const raim_vec2 *corners, int count);

// The next obstacle, each only once, or NULL. All that touch the polygon come, and some others.
const raim_polygon *raim_map_near_next(struct raim_map_near *near);
