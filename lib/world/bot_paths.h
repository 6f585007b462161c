// SPDX-License-Identifier: MIT
// Paths of bots: the places of a map where players meet, and for each a flow field, which holds the
// step that leads there from every cell of a raster. Both follow from the map alone. The places are
// those that most of the shortest paths between spawn points cross.
// Units: coordinates and radii are in units.
// Thread rule: paths do not change once they are created; any threads may share them.
#pragma once

#include "map.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RAIM_BOT_MAX_PLACES 12

struct raim_bot_paths;

// Computes the paths of a player of a radius, in tens of milliseconds for a large map. Returns NULL
// when memory runs out. Borrows the map. Destroy takes NULL.
struct raim_bot_paths *raim_bot_paths_create(const struct raim_map *map, double radius);
void raim_bot_paths_destroy(struct raim_bot_paths *paths);

// The number of places, busiest first; 0 on a map whose spawn points are not connected.
uint32_t raim_bot_paths_places(const struct raim_bot_paths *paths);

// The position of a place below the number of places.
raim_vec2 raim_bot_paths_place(const struct raim_bot_paths *paths, uint32_t place);

// Returns a point on the path from a position to a place that a straight run reaches. Where no path
// leads there, it returns the position.
raim_vec2 raim_bot_paths_next(const struct raim_bot_paths *paths, raim_vec2 position,
                              uint32_t place);

#ifdef __cplusplus
}
#endif
