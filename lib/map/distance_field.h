// SPDX-License-Identifier: MIT
// A distance field of a map: for each cell of a raster, the distance to the nearest obstacle. Lines
// are tested by sphere tracing (Hart, Sphere Tracing, 1996), whose steps are as long as the free
// space around the current cell. It confirms most free lines in a few steps. The rest, close to
// obstacles, need the exact queries of map.h, which cost ten times as much.
// Units: coordinates are in units, cells are 16 x 16 units.
// Thread rule: a field does not change once its map is created; any threads may share it.
#pragma once

#include "map.h"

#include <stdbool.h>
#include <stdint.h>

// Computes the field of a map that has its border and obstacles. A cell holds the Chebyshev
// distance, in cells, to the nearest cell that an obstacle touches: 0 for such a cell, at most 255.
// Returns false when memory runs out.
bool raim_distance_field_create(struct raim_map *map);
void raim_distance_field_destroy(struct raim_map *map);

// Returns true only when no obstacle is near the straight line between two points. False leaves it
// open, as it does on a map without a field. The points may lie outside the map.
bool raim_distance_field_sees(const struct raim_map *map, raim_vec2 from, raim_vec2 to);
