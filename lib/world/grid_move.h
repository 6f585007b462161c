// SPDX-License-Identifier: MIT
// Where a player may stand: on the map's grid, free, and never behind something. raim_map_move
// says how far a circle gets; these settle it on a point of the grid near there.
//
// Whoever starts on the grid and free ends so. What is not hindered ends exactly at the end of its
// motion, which must be whole steps for a run. Between slanted walls the grid is coarser than the
// room: a passage less than two steps wider than the player may be closed to it.
#pragma once

#include "map.h"

// Runs for a tick, sliding along what is met. A slide of less than about a step a tick, which the
// nearest point would swallow, becomes a step every so many ticks, counted by `tick`. Who presses
// on where there is no way on comes to rest.
raim_vec2 raim_grid_move_run(const struct raim_map *map, raim_vec2 from, raim_vec2 motion,
                             double radius, uint32_t tick);

// Gives way to a push, by the nearest whole steps; half a step counts as one.
raim_vec2 raim_grid_move_push(const struct raim_map *map, raim_vec2 from, raim_vec2 motion,
                              double radius);
