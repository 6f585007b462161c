// SPDX-License-Identifier: MIT
// Maps of blocks or random polygons, and brute-force queries of a point against every obstacle.
#pragma once

#include "chance_outlines.h"
#include "map.h"
#include "test.h"

static const raim_box arena = {{-1000, -600}, {1000, 600}};

static inline struct raim_obstacle_def block(double x0, double y0, double x1, double y1)
{
    return (struct raim_obstacle_def){{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, 4};
}

static inline struct raim_map *make_map(const struct raim_obstacle_def *obstacles, int count)
{
    const raim_vec2 spawn = {-990, -590};
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&(struct raim_map_def){.name = "test",
                                                                  .border = arena,
                                                                  .obstacles = obstacles,
                                                                  .obstacle_count = count,
                                                                  .spawns = &spawn,
                                                                  .spawn_count = 1},
                                           &problem);
    assert_non_null(map);
    assert_int_equal(problem.error, RAIM_MAP_OK);
    return map;
}

// A map of random polygons, some of them overlapping, of which none comes near the spawn.
static inline struct raim_map *chance_map(int count, double size)
{
    struct raim_obstacle_def *obstacles = calloc((size_t)count + 1, sizeof *obstacles);
    const raim_box middle = raim_box_grow(arena, -150);
    for (int i = 0; i < count;) {
        const raim_vec2 centre = {chance_between(middle.min.x, middle.max.x),
                                  chance_between(middle.min.y, middle.max.y)};
        obstacles[i].count = chance_outline(obstacles[i].points, centre, size);
        i += raim_map_check_obstacle(arena, &obstacles[i]).error == RAIM_MAP_OK;
    }
    struct raim_map *map = make_map(obstacles, count);
    free(obstacles);
    return map;
}

// The gap between a circle and the nearest obstacle or border.
static inline double slow_gap(const struct raim_map *map, raim_vec2 centre, double radius)
{
    double gap = fmin(fmin(centre.x - arena.min.x, arena.max.x - centre.x),
                      fmin(centre.y - arena.min.y, arena.max.y - centre.y));
    for (int i = 0; i < map->obstacle_count; i++)
        gap = fmin(gap, slow_distance(&map->obstacles[i], centre));
    return gap - radius;
}

static inline raim_vec2 chance_place(void)
{
    return (raim_vec2){chance_between(arena.min.x, arena.max.x),
                       chance_between(arena.min.y, arena.max.y)};
}

static inline raim_vec2 chance_free(const struct raim_map *map, double radius)
{
    raim_vec2 place;
    do
        place = chance_place();
    while (!raim_map_is_free(map, place, radius));
    return place;
}
