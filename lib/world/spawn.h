// SPDX-License-Identifier: MIT
// Spawn point selection.
// Thread rule: as for the world.
#pragma once

#include "world.h"

// Finds a free position at the spawn point whose nearest living player is farthest away; the
// world's random generator decides between ties. When the point itself is occupied, finds the
// nearest free position around it. The position is on the grid. Returns false when there is none;
// the caller may try again in the next tick.
bool raim_spawn_find(struct raim_world *world, const struct raim_map *map, raim_vec2 *found);
