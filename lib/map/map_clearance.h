// SPDX-License-Identifier: MIT
// The clearance of a map: for each cell of a raster, a distance from the cell within which there is
// neither an obstacle nor the border. Most collision queries happen in the open, and one lookup
// answers them there. The raster has at most RAIM_MAP_CLEARANCE_CELLS cells of one byte.
// Units: distances are in units.
// Thread rule: a clearance does not change once it is created; any threads may share it.
#pragma once

#include "map_grid.h"

#define RAIM_MAP_CLEARANCE_CELLS 262144

// Computes the clearance of a map that has its border and obstacles. Returns false when memory runs
// out.
bool raim_map_clearance_create(struct raim_map *map);

void raim_map_clearance_destroy(struct raim_map *map);

// Returns true only when everything within a distance of a point is more than RAIM_MAP_SLOP away
// from all obstacles and inside the border. False leaves it open.
static inline bool raim_map_is_clear(const struct raim_map *map, raim_vec2 point, double distance)
{
    const struct raim_map_clearance *clearance = &map->clearance;
    const int column = raim_map_cell_of((point.x - map->border.min.x) * clearance->cells_per_unit,
                                        clearance->columns);
    const int row = raim_map_cell_of((point.y - map->border.min.y) * clearance->cells_per_unit,
                                     clearance->rows);
    return distance < clearance->cells[row * clearance->columns + column];
}
