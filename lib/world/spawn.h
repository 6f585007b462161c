// SPDX-License-Identifier: MIT
// Spawn point selection.
// Thread rule: as for the world.
#pragma once

#include "player_grid.h"

// The spawns of one step. What is known of a spawn point stays true from one spawn to the next,
// because a new player can only lower the distances and occupy positions.
struct raim_spawner {
    struct raim_world *world;
    const struct raim_map *map;
    struct raim_player_grid *grid;           // of the living players; borrowed
    bool has_begun;                          // the members below are valid
    bool is_full[RAIM_MAX_SPAWNS];           // there is no free position around the point
    bool is_exact[RAIM_MAX_SPAWNS];          // `nearest` is the distance, not only a bound
    double nearest_squared[RAIM_MAX_SPAWNS]; // upper bound of the distance to the nearest player
};

// Prepares the spawns of a step. Costs nothing until the first player spawns.
void raim_spawner_init(struct raim_spawner *spawner, struct raim_world *world,
                       const struct raim_map *map, struct raim_player_grid *grid);

// Finds a free position at the spawn point whose nearest living player is farthest away; the
// world's random generator decides between ties. When the point itself is occupied, finds the
// nearest free position around it. The position is on the grid. Returns false when there is none,
// with the last position that is tried; the caller may try again in the next tick.
bool raim_spawn_find(struct raim_spawner *spawner, raim_vec2 *found);

// Adds a player who has spawned at a position.
void raim_spawner_add(struct raim_spawner *spawner, uint32_t slot, raim_vec2 position);
