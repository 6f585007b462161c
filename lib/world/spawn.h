// SPDX-License-Identifier: MIT
// Where a player rises.
#pragma once

#include "world.h"

// Finds a free place at the spawn point that is farthest from every living player; spawn points
// that tie are drawn by the world's generator. Where somebody stands on the point itself, the
// nearest free place around it serves. What is found is on the grid. False when even that is taken:
// try again next tick.
bool raim_spawn_find(struct raim_world *world, const struct raim_map *map, raim_vec2 *found);
