// SPDX-License-Identifier: MIT
// Chooses spawn points and free positions around them.
#include "spawn.h"

#include "random.h"

#include <assert.h>

enum {
    RINGS = 8,      // rings around an occupied spawn point, each a player's width wider
    FIRST_RING = 6, // positions on the first ring, as in a honeycomb; each next ring has 6 more
};

void raim_spawner_init(struct raim_spawner *spawner, struct raim_world *world,
                       const struct raim_map *map, struct raim_player_grid *grid)
{
    spawner->world = world;
    spawner->map = map;
    spawner->grid = grid;
    spawner->has_begun = false;
}

static void begin(struct raim_spawner *spawner)
{
    for (int i = 0; i < spawner->map->spawn_count; i++) {
        spawner->is_full[i] = false;
        spawner->is_exact[i] = false;
        spawner->nearest_squared[i] = INFINITY;
    }
    spawner->has_begun = true;
}

// Returns the squared distance from a spawn point to the nearest living player. When that is below
// `enough`, the result may be larger than it, but stays below `enough`.
static double nearest_living_squared(struct raim_spawner *spawner, int spawn, double enough)
{
    double *nearest = &spawner->nearest_squared[spawn];
    if (spawner->is_exact[spawn] || *nearest < enough)
        return *nearest;
    *nearest =
        raim_player_grid_nearest_squared(spawner->grid, raim_world_players_const(spawner->world),
                                         spawner->map->spawns[spawn], enough, *nearest);
    spawner->is_exact[spawn] = *nearest >= enough;
    return *nearest;
}

// Returns the index of the spawn point whose nearest living player is farthest away.
static int farthest_spawn(struct raim_spawner *spawner)
{
    const struct raim_map *map = spawner->map;
    assert(map->spawn_count > 0);
    int best = 0;
    double best_distance = -1;
    uint32_t ties = 0;
    for (int i = 0; i < map->spawn_count; i++) {
        const double distance = nearest_living_squared(spawner, i, best_distance);
        if (distance < best_distance)
            continue;
        ties = distance > best_distance ? 1 : ties + 1;
        best_distance = distance;
        // Reservoir sampling: the k-th tie replaces the choice with probability 1/k.
        if (ties == 1 || raim_random_below(&spawner->world->random, ties) == 0)
            best = i;
    }
    return best;
}

static bool is_free(const struct raim_spawner *spawner, raim_vec2 point)
{
    const double radius = spawner->world->rules.player_radius;
    const double apart_squared = 4 * radius * radius;
    return raim_map_is_free(spawner->map, point, radius) &&
           raim_player_grid_nearest_squared(spawner->grid, raim_world_players_const(spawner->world),
                                            point, apart_squared, apart_squared) >= apart_squared;
}

// Returns a position on a ring around a spawn point, on the grid.
static raim_vec2 position_on(const struct raim_spawner *spawner, int spawn, int ring, int index)
{
    const double width = 2 * spawner->world->rules.player_radius + 1;
    const raim_angle angle = (raim_angle)(index * RAIM_ANGLE_TURN / (ring * FIRST_RING));
    return raim_map_round(
        raim_vec2_mad(spawner->map->spawns[spawn], raim_angle_direction(angle), ring * width));
}

// Finds a free position around a spawn point. Returns false when there is none.
static bool find_around(const struct raim_spawner *spawner, int spawn, raim_vec2 *found)
{
    *found = spawner->map->spawns[spawn];
    if (is_free(spawner, *found))
        return true;
    for (int ring = 1; ring <= RINGS; ring++) {
        for (int i = 0; i < ring * FIRST_RING; i++) {
            *found = position_on(spawner, spawn, ring, i);
            if (is_free(spawner, *found))
                return true;
        }
    }
    return false;
}

bool raim_spawn_find(struct raim_spawner *spawner, raim_vec2 *found)
{
    if (!spawner->has_begun)
        begin(spawner);
    const int spawn = farthest_spawn(spawner);
    *found = position_on(spawner, spawn, RINGS, RINGS * FIRST_RING - 1);
    if (!spawner->is_full[spawn])
        spawner->is_full[spawn] = !find_around(spawner, spawn, found);
    return !spawner->is_full[spawn];
}

void raim_spawner_add(struct raim_spawner *spawner, uint32_t slot, raim_vec2 position)
{
    raim_player_grid_add(spawner->grid, slot, position);
    for (int i = 0; i < spawner->map->spawn_count; i++) {
        const double distance = raim_vec2_distance_squared(position, spawner->map->spawns[i]);
        if (distance < spawner->nearest_squared[i])
            spawner->nearest_squared[i] = distance;
    }
}
