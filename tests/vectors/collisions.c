// SPDX-License-Identifier: MIT
// Writes proto/collisions.json: runs of players that obstacles hinder, and pairs that are pushed
// apart, as the world computes them, on a map of walls, spikes, pieces with seams and narrow gaps.
//
//   vectors_collisions [RUNS [SEED]]
#include "grid_move.h"
#include "player.h"
#include "random.h"
#include "world.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { OBSTACLES = 24, BY_HAND = 8, RUNS = 300, PUSHES = 60, HELD_TICKS = 12, TICK_HZ = 60 };

static const raim_box border = {{-1000, -600}, {1000, 600}};

// Simple polygons, which raim_map_create cuts into convex pieces where they have reflex corners.
static const struct raim_obstacle_def by_hand[BY_HAND] = {
    {{{-900, -500}, {-500, -500}, {-500, -460}, {-860, -460}, {-860, -100}, {-900, -100}}, 6},
    {{{-700, 0}, {-300, 90}, {-300, 92}, {-700, 2}}, 4}, // thinner than a player
    {{{0, 300}, {60, 500}, {260, 520}, {90, 560}, {20, 590}, {-20, 480}}, 6},
    {{{-980, 200}, {-700, 230}, {-980, 260}}, 3}, // a spike out of the border
    {{{-600, 300}, {-560, 300}, {-560, 340}, {-600, 340}}, 4},
    // Faces on which a slide is slower than a step of the grid per tick.
    {{{-300, -400}, {100, -402}, {100, -440}, {-300, -440}}, 4},
    {{{-140, -200}, {-100, -200}, {-102, 150}, {-140, 150}}, 4},
    // A gap wider than a player by less than a step of the grid.
    {{{-519.99, 300}, {-480, 300}, {-480, 340}, {-519.99, 340}}, 4},
};

static struct raim_map *make_map(uint64_t *random)
{
    static struct raim_obstacle_def obstacles[OBSTACLES];
    const raim_vec2 spawn = {-990, -590};
    struct raim_map_problem problem;
    for (int i = 0; i < OBSTACLES; i++) {
        if (i < BY_HAND) {
            obstacles[i] = by_hand[i];
            continue;
        }
        const int sides = 3 + (int)raim_random_below(random, 6);
        const double radius = 20 + 60 * raim_random_unit(random);
        const raim_angle turn = (raim_angle)raim_random_next(random);
        const raim_vec2 centre = {200 + 700 * raim_random_unit(random),
                                  -480 + 700 * raim_random_unit(random)};
        obstacles[i].count = sides;
        for (int corner = 0; corner < sides; corner++)
            obstacles[i].points[corner] = raim_vec2_mad(
                centre, raim_angle_direction((raim_angle)(turn + corner * RAIM_ANGLE_TURN / sides)),
                radius);
    }
    struct raim_map *map = raim_map_create(&(struct raim_map_def){.name = "collisions",
                                                                  .border = border,
                                                                  .obstacles = obstacles,
                                                                  .obstacle_count = OBSTACLES,
                                                                  .spawns = &spawn,
                                                                  .spawn_count = 1},
                                           &problem);
    assert(map != NULL);
    return map;
}

static int steps(double units)
{
    assert(units * RAIM_MAP_STEPS == (int)(units * RAIM_MAP_STEPS));
    return (int)(units * RAIM_MAP_STEPS);
}

static void print_map(const struct raim_map *map, const raim_rules *rules)
{
    printf("{\"player_radius\": %g, \"player_speed\": %g, \"tick_hz\": %d,\n", rules->player_radius,
           rules->player_speed, TICK_HZ);
    printf("\"border\": [%d, %d, %d, %d],\n\"obstacles\": [\n", steps(map->border.min.x),
           steps(map->border.min.y), steps(map->border.max.x), steps(map->border.max.y));
    for (int i = 0; i < map->obstacle_count; i++) {
        const raim_polygon *piece = &map->obstacles[i];
        printf("{\"seams\": %u, \"points\": [", piece->seams);
        for (int p = 0; p < piece->count; p++)
            printf("%s[%d, %d]", p > 0 ? ", " : "", steps(piece->points[p].x),
                   steps(piece->points[p].y));
        printf("]}%s\n", i + 1 < map->obstacle_count ? "," : "");
    }
    printf("],\n");
}

// A free point near a corner of an obstacle.
static raim_vec2 chance_corner(const struct raim_map *map, double radius, uint64_t *random)
{
    for (;;) {
        const raim_polygon *piece =
            &map->obstacles[raim_random_below(random, (uint32_t)map->obstacle_count)];
        const raim_vec2 corner = piece->points[raim_random_below(random, (uint32_t)piece->count)];
        const raim_vec2 aside = {200 * raim_random_unit(random) - 100,
                                 200 * raim_random_unit(random) - 100};
        const raim_vec2 place = raim_map_round(raim_vec2_add(corner, aside));
        if (raim_map_is_free(map, place, radius))
            return place;
    }
}

static raim_vec2 chance_free(const struct raim_map *map, double radius, uint64_t *random)
{
    for (;;) {
        const raim_vec2 place = raim_map_round(
            (raim_vec2){border.min.x + raim_random_unit(random) * (border.max.x - border.min.x),
                        border.min.y + raim_random_unit(random) * (border.max.y - border.min.y)});
        if (raim_map_is_free(map, place, radius))
            return place;
    }
}

// Players run for a while in each direction. Prints the ticks in which an obstacle hinders them. A
// quarter of these are slow slides, which are rare.
static void print_runs(const struct raim_map *map, const raim_rules *rules, int count,
                       uint64_t *random)
{
    const struct raim_stride stride = raim_world_stride(rules, TICK_HZ);
    printf("\"runs\": [\n");
    raim_vec2 at = {0, 0};
    int slow = 0;
    for (int printed = 0, round = 0; printed < count; round++) {
        if (round % 4 == 0)
            at = chance_corner(map, rules->player_radius, random);
        const int x = (int)raim_random_below(random, 3) - 1;
        const int y = (int)raim_random_below(random, 3) - 1;
        const double length =
            (x != 0 && y != 0 ? stride.diagonal : stride.straight) * RAIM_MAP_GRID;
        const raim_vec2 run = {x * length, y * length};
        for (int i = 0; i < HELD_TICKS && (x != 0 || y != 0) && printed < count; i++) {
            const uint32_t tick = (uint32_t)raim_random_next(random);
            const raim_vec2 to = raim_grid_move_run(map, at, run, rules->player_radius, tick);
            const raim_vec2 moved = raim_vec2_sub(to, at);
            const bool is_free = moved.x == run.x && moved.y == run.y;
            const bool is_slow = fmax(fabs(moved.x), fabs(moved.y)) == RAIM_MAP_GRID;
            if (!is_free && (is_slow || printed - slow < count - count / 4)) {
                slow += is_slow;
                printf("[%u, %d, %d, %d, %d, %d, %d]%s\n", tick, steps(at.x), steps(at.y), x, y,
                       steps(to.x), steps(to.y), ++printed < count ? "," : "");
            }
            at = to;
        }
    }
    printf("],\n");
}

static void print_pushes(const struct raim_map *map, const raim_rules *rules, int count,
                         uint64_t *random)
{
    printf("\"pushes\": [\n");
    for (int printed = 0; printed < count;) {
        const double radius = rules->player_radius;
        const raim_vec2 a = chance_free(map, radius, random);
        const raim_vec2 b = raim_map_round(
            raim_vec2_mad(a, raim_angle_direction((raim_angle)raim_random_next(random)),
                          printed == 0 ? 0 : 2 * radius * raim_random_unit(random)));
        const raim_vec2 between = raim_vec2_sub(b, a);
        const double distance = sqrt(raim_vec2_length_squared(between));
        if (!raim_map_is_free(map, b, radius) || distance >= 2 * radius)
            continue;
        // As in push_pair_apart of player_push.c.
        const raim_vec2 normal =
            distance > 0 ? raim_vec2_scale(between, 1 / distance) : (raim_vec2){1, 0};
        const raim_vec2 half = raim_vec2_scale(normal, (2 * radius - distance) / 2);
        const raim_vec2 to_a = raim_grid_move_push(map, a, raim_vec2_scale(half, -1), radius);
        const raim_vec2 to_b = raim_grid_move_push(map, b, half, radius);
        printf("[%d, %d, %d, %d, %d, %d, %d, %d]%s\n", steps(a.x), steps(a.y), steps(b.x),
               steps(b.y), steps(to_a.x), steps(to_a.y), steps(to_b.x), steps(to_b.y),
               ++printed < count ? "," : "");
    }
    printf("]}\n");
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : RUNS;
    uint64_t random = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const raim_rules rules = raim_rules_default();
    struct raim_map *map = make_map(&random);
    print_map(map, &rules);
    print_runs(map, &rules, count, &random);
    print_pushes(map, &rules, argc > 1 ? count : PUSHES, &random);
    raim_map_destroy(map);
    return 0;
}
