// SPDX-License-Identifier: MIT
// Tests of the clearance. The oracle is the distance to every obstacle.
//     test_map_clearance [--seed N]
#include "chance.h"
#include "map_clearance.h"
#include "map_fixture.h"

// Returns a random point, anywhere, on the lines of the raster or on the border.
static raim_vec2 random_point(void)
{
    raim_vec2 point = chance_place();
    if (chance_int(0, 2) == 0)
        point = (raim_vec2){16 * round(point.x / 16), 16 * round(point.y / 16)};
    if (chance_int(0, 9) == 0)
        point.x = chance_int(0, 1) ? arena.min.x : arena.max.x;
    return point;
}

TEST(nothing_is_within_a_clear_distance_and_most_of_the_open_is_clear)
{
    int open = 0, clear = 0;
    for (int round = 0; round < 60; round++) {
        struct raim_map *map = chance_map(chance_int(0, 30), chance_between(10, 120));
        for (int i = 0; i < 3000; i++) {
            const raim_vec2 point = random_point();
            const double distance = chance_between(0, 62);
            const double gap = slow_gap(map, point, distance);
            const bool is_clear = raim_map_is_clear(map, point, distance);
            assert_true(!is_clear || gap > RAIM_MAP_SLOP);
            open += gap > 16;
            clear += is_clear;
        }
        raim_map_destroy(map);
    }
    assert_true(clear > 0.9 * open);
}

TEST(a_point_outside_the_border_is_never_clear)
{
    struct raim_map *map = chance_map(0, 0);
    const double far[] = {1, 15, 17, 1000, 1e9};
    for (int i = 0; i < 5; i++) {
        assert_false(raim_map_is_clear(map, (raim_vec2){arena.max.x + far[i], 0}, 0));
        assert_false(raim_map_is_clear(map, (raim_vec2){arena.min.x - far[i], 0}, 0));
        assert_false(raim_map_is_clear(map, (raim_vec2){0, arena.max.y + far[i]}, 0));
        assert_false(raim_map_is_clear(map, (raim_vec2){0, arena.min.y - far[i]}, 0));
    }
    raim_map_destroy(map);
}

TEST(the_largest_map_has_a_bounded_clearance)
{
    const raim_box border = {{-RAIM_MAP_REACH, -RAIM_MAP_REACH}, {RAIM_MAP_REACH, RAIM_MAP_REACH}};
    const double reach = RAIM_MAP_REACH - 1;
    static struct raim_obstacle_def obstacles[20];
    for (int i = 0; i < 20; i++)
        obstacles[i] = block(-reach, -reach + i, reach, reach - i);
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(
        &(struct raim_map_def){
            .name = "large", .border = border, .obstacles = obstacles, .obstacle_count = 20},
        &problem);
    assert_non_null(map);
    assert_true(map->clearance.columns * map->clearance.rows <= RAIM_MAP_CLEARANCE_CELLS);
    raim_map_destroy(map);
}
