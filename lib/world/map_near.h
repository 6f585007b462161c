// SPDX-License-Identifier: MIT
// Goes through the obstacles of a map that are near a triangle, which may be as thin as a line or a
// point.
#pragma once

#include "map_grid.h"

struct raim_map_near {
    const struct raim_map *map;
    raim_vec2 corners[3];
    double slopes[3]; // x over y of the side from corner i to the next
    double cell;      // the width of one
    raim_box box;
    struct raim_map_span span;
    int row;
    struct raim_map_run run;               // what remains of the row
    uint64_t met[RAIM_MAX_OBSTACLES / 64]; // a bit for each obstacle that has had its turn
};

void raim_map_near_begin(struct raim_map_near *near, const struct raim_map *map,
                         const raim_vec2 corners[3]);

// The next obstacle, each only once, or NULL. All that touch the triangle come, and some others.
const raim_polygon *raim_map_near_next(struct raim_map_near *near);
