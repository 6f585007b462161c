// SPDX-License-Identifier: MIT
// Movement of players on the map's grid: raim_map_move computes how far a circle gets, and these
// functions settle it on a nearby free point of the grid that is not on the far side of an
// obstacle.
//
// A player that starts free and on the grid ends free and on the grid. An unhindered motion is
// exact; a run must be a whole number of steps. Between slanted walls, the grid may be too coarse:
// a passage less than two steps wider than the player may be closed to it. Units: positions,
// motions and radii are in units. Thread rule: the functions are pure; any threads may share the
// map.
#pragma once

#include "map.h"

// Returns the end of a run of one tick, which slides along obstacles. Rounding would swallow a
// slide of less than about a step per tick; such a slide becomes a whole step in some ticks,
// selected by `tick`. A player that runs against a dead end comes to rest.
raim_vec2 raim_grid_move_run(const struct raim_map *map, raim_vec2 from, raim_vec2 motion,
                             double radius, uint32_t tick);

// Returns the end of a push, rounded to whole steps; half a step is rounded up.
raim_vec2 raim_grid_move_push(const struct raim_map *map, raim_vec2 from, raim_vec2 motion,
                              double radius);
