// SPDX-License-Identifier: MIT
// Where a map is open: a raster of how far around each place no obstacle is. It finds most free
// lines in a few steps, each as long as there is room; what is close to an obstacle it leaves to
// the exact questions of map.h, which cost ten times as much.
#pragma once

#include "map.h"

#include <stdbool.h>
#include <stdint.h>

struct raim_distance_field {
    raim_vec2 origin;
    int columns, rows;
    // By row, then column: the number of cells to the nearest one that an obstacle touches, along
    // the axis on which it is farther; 0 for those themselves, at most 255.
    uint8_t *cells;
};

// False when memory runs out: a byte for every 16 x 16 units of the map.
bool raim_distance_field_create(struct raim_distance_field *field, const struct raim_map *map);
void raim_distance_field_destroy(struct raim_distance_field *field);

// True only when no obstacle is near the straight line between two points; false says nothing.
bool raim_distance_field_sees(const struct raim_distance_field *field, raim_vec2 from,
                              raim_vec2 to);
