// SPDX-License-Identifier: MIT
// Generates maps of scattered obstacles.
#include "scene.h"

#include <stdlib.h>

#define BASE_OBSTACLES 50
#define BASE_PLAYERS 64
#define PLAYERS_PER_SPAWN 4

static const raim_vec2 base_size = {4800, 2700};

struct disc {
    raim_vec2 centre;
    double radius;
};

// Returns a border with the room per obstacle and per player of the base size, or less when the
// limit of coordinates is reached.
static raim_box border_for(int obstacles, int players)
{
    double factor = 1;
    factor = fmax(factor, (double)obstacles / BASE_OBSTACLES);
    factor = fmax(factor, (double)players / BASE_PLAYERS);
    const double most = 2.0 * RAIM_MAP_REACH;
    const double width = fmin(base_size.x * sqrt(factor), most);
    const double height = fmin(base_size.x * base_size.y * factor / width, most);
    return (raim_box){{-width / 2, -height / 2}, {width / 2, height / 2}};
}

static bool overlaps_any(const struct disc *discs, int count, struct disc disc)
{
    for (int i = 0; i < count; i++) {
        const double reach = discs[i].radius + disc.radius;
        if (raim_vec2_distance_squared(discs[i].centre, disc.centre) < reach * reach)
            return true;
    }
    return false;
}

// Returns a disc at a random position with a gap to all others.
static struct disc free_disc(uint64_t *random, raim_box border, const struct disc *discs, int count,
                             double radius, double gap)
{
    struct disc disc;
    do
        disc = (struct disc){chance_point(random, border, radius + gap), radius + gap};
    while (overlaps_any(discs, count, disc));
    disc.radius = radius;
    return disc;
}

// Creates a polygon with its corners on the rim of a disc, so that it is convex.
static void draw_obstacle(struct raim_obstacle_def *obstacle, uint64_t *random, struct disc disc)
{
    obstacle->count = 4 + (int)raim_random_below(random, 5);
    const double sector = (double)RAIM_ANGLE_TURN / obstacle->count;
    for (int i = 0; i < obstacle->count; i++) {
        const raim_angle angle = (raim_angle)((i + chance_uniform(random, 0.1, 0.9)) * sector);
        obstacle->points[i] = raim_vec2_mad(disc.centre, raim_angle_direction(angle), disc.radius);
    }
}

static int spawns_for(int players)
{
    const int spawns = players / PLAYERS_PER_SPAWN + 1;
    return spawns < RAIM_MAX_SPAWNS ? spawns : RAIM_MAX_SPAWNS;
}

struct raim_map *scene_create(uint64_t *random, int obstacles, int players, double player_radius)
{
    const raim_box border = border_for(obstacles, players);
    const double room = (border.max.x - border.min.x) * (border.max.y - border.min.y) / obstacles;
    const double scale = fmin(1, sqrt(room / (base_size.x * base_size.y / BASE_OBSTACLES)));
    struct disc *discs = calloc((size_t)obstacles, sizeof *discs);
    struct raim_obstacle_def *defs = calloc((size_t)obstacles, sizeof *defs);
    struct raim_map *map = NULL;
    if (discs != NULL && defs != NULL) {
        for (int i = 0; i < obstacles; i++) {
            const double radius = scale * chance_uniform(random, 40, 90);
            discs[i] = free_disc(random, border, discs, i, radius, 3 * player_radius);
            draw_obstacle(&defs[i], random, discs[i]);
        }
        raim_vec2 spawns[RAIM_MAX_SPAWNS];
        const int spawn_count = spawns_for(players);
        for (int i = 0; i < spawn_count; i++)
            spawns[i] = free_disc(random, border, discs, obstacles, player_radius, 1).centre;
        struct raim_map_problem problem;
        map = raim_map_create(&(struct raim_map_def){.name = "bench",
                                                     .border = border,
                                                     .obstacles = defs,
                                                     .obstacle_count = obstacles,
                                                     .spawns = spawns,
                                                     .spawn_count = spawn_count},
                              &problem);
    }
    free(defs);
    free(discs);
    return map;
}
