// SPDX-License-Identifier: MIT
// Chooses spawn points and free positions around them.
#include "spawn.h"

#include "random.h"

#include <assert.h>

enum {
    RINGS = 8,      // rings around an occupied spawn point, each a player's width wider
    FIRST_RING = 6, // positions on the first ring, as in a honeycomb; each next ring has 6 more
};

// Returns the squared distance of the nearest living player. When that is below `enough`, the
// result may be larger than the distance, but stays below `enough`.
static double nearest_living_squared(const struct raim_world *world, raim_vec2 point, double enough)
{
    const raim_player *players = raim_world_players_const(world);
    double nearest = INFINITY;
    for (uint32_t slot = 0; slot < world->max_players && nearest >= enough; slot++) {
        if (players[slot].state != RAIM_PLAYER_ALIVE)
            continue;
        const double distance = raim_vec2_distance_squared(players[slot].position, point);
        nearest = distance < nearest ? distance : nearest;
    }
    return nearest;
}

static raim_vec2 farthest_spawn(struct raim_world *world, const struct raim_map *map)
{
    assert(map->spawn_count > 0);
    raim_vec2 best = map->spawns[0];
    double best_distance = -1;
    uint32_t ties = 0;
    for (int i = 0; i < map->spawn_count; i++) {
        const double distance = nearest_living_squared(world, map->spawns[i], best_distance);
        if (distance < best_distance)
            continue;
        ties = distance > best_distance ? 1 : ties + 1;
        best_distance = distance;
        // Reservoir sampling: the k-th tie replaces the choice with probability 1/k.
        if (ties == 1 || raim_random_below(&world->random, ties) == 0)
            best = map->spawns[i];
    }
    return best;
}

static bool is_free(const struct raim_world *world, const struct raim_map *map, raim_vec2 point)
{
    const double apart = 2 * world->rules.player_radius;
    return raim_map_is_free(map, point, world->rules.player_radius) &&
           nearest_living_squared(world, point, apart * apart) >= apart * apart;
}

bool raim_spawn_find(struct raim_world *world, const struct raim_map *map, raim_vec2 *found)
{
    const raim_vec2 spawn = farthest_spawn(world, map);
    if (is_free(world, map, spawn)) {
        *found = spawn;
        return true;
    }
    const double width = 2 * world->rules.player_radius + 1;
    for (int ring = 1; ring <= RINGS; ring++) {
        for (int i = 0; i < ring * FIRST_RING; i++) {
            const raim_angle angle = (raim_angle)(i * RAIM_ANGLE_TURN / (ring * FIRST_RING));
            *found =
                raim_map_round(raim_vec2_mad(spawn, raim_angle_direction(angle), ring * width));
            if (is_free(world, map, *found))
                return true;
        }
    }
    return false;
}
