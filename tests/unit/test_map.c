// SPDX-License-Identifier: MIT
// Maps: what makes one, and how circles see, fly and walk in it, with every obstacle asked one by
// one as the judge.
#include "map.h"
#include "slow_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const raim_box arena = {{-1000, -600}, {1000, 600}};

static struct raim_obstacle_def block(double x0, double y0, double x1, double y1)
{
    return (struct raim_obstacle_def){{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, 4};
}

static struct raim_map *make_map(const struct raim_obstacle_def *obstacles, int count)
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
static struct raim_map *chance_map(int count, double size)
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
static double slow_gap(const struct raim_map *map, raim_vec2 centre, double radius)
{
    double gap = fmin(fmin(centre.x - arena.min.x, arena.max.x - centre.x),
                      fmin(centre.y - arena.min.y, arena.max.y - centre.y));
    for (int i = 0; i < map->obstacle_count; i++)
        gap = fmin(gap, slow_distance(&map->obstacles[i], centre));
    return gap - radius;
}

static raim_vec2 chance_place(void)
{
    return (raim_vec2){chance_between(arena.min.x, arena.max.x),
                       chance_between(arena.min.y, arena.max.y)};
}

static raim_vec2 chance_free(const struct raim_map *map, double radius)
{
    raim_vec2 place;
    do
        place = chance_place();
    while (!raim_map_is_free(map, place, radius));
    return place;
}

static enum raim_map_error error_of(struct raim_map_def def, int *index)
{
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&def, &problem);
    assert_int_equal(map == NULL, problem.error != RAIM_MAP_OK);
    raim_map_destroy(map);
    if (index != NULL)
        *index = problem.index;
    return problem.error;
}

static void test_bad_borders_are_refused(void **state)
{
    (void)state;
    const raim_vec2 spawn = {0, 0};
    struct raim_map_def def = {.name = "", .border = arena, .spawns = &spawn, .spawn_count = 1};
    assert_int_equal(error_of(def, NULL), RAIM_MAP_OK);
    def.spawn_count = 0; // as in clients
    assert_int_equal(error_of(def, NULL), RAIM_MAP_OK);
    const raim_box bad[] = {
        {{-1000, -99}, {1000, 100}},   {{-99, -1000}, {100, 1000}}, {{1000, -600}, {-1000, 600}},
        {{-16001, -600}, {1000, 600}}, {{-9, -9}, {1000, 16001}},   {{NAN, -600}, {1000, 600}},
        {{-1000, -600}, {NAN, 600}},   {{-1000, -600}, {9, NAN}},   {{-1000, -INFINITY}, {9, 9}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        def.border = bad[i];
        assert_int_equal(error_of(def, NULL), RAIM_MAP_BORDER);
    }
}

static void test_bad_obstacles_and_spawns_are_refused(void **state)
{
    (void)state;
    struct raim_obstacle_def obstacles[3] = {block(0, 0, 50, 50), block(100, 0, 150, 50)};
    raim_vec2 spawns[2] = {{-50, -50}, {-70, -70}};
    const struct raim_map_def def = {"", arena, obstacles, 2, spawns, 2};
    int index;
    assert_int_equal(error_of(def, NULL), RAIM_MAP_OK);

    obstacles[1].count = 2;
    assert_int_equal(error_of(def, &index), RAIM_MAP_OBSTACLE);
    assert_int_equal(index, 1);
    assert_int_equal(raim_map_check_obstacle(arena, &obstacles[1]).polygon_error,
                     RAIM_POLYGON_TOO_FEW_POINTS);
    obstacles[1] = block(900, 0, 1001, 50);
    assert_int_equal(error_of(def, &index), RAIM_MAP_OBSTACLE_OUTSIDE);
    assert_int_equal(index, 1);
    obstacles[1] = block(900, 0, 1000, 50);
    assert_int_equal(error_of(def, NULL), RAIM_MAP_OK);

    spawns[1] = (raim_vec2){0, 601};
    assert_int_equal(error_of(def, &index), RAIM_MAP_SPAWN_OUTSIDE);
    assert_int_equal(index, 1);
    spawns[1] = (raim_vec2){NAN, 0};
    assert_int_equal(error_of(def, NULL), RAIM_MAP_SPAWN_OUTSIDE);
    spawns[1] = (raim_vec2){950, 25};
    assert_int_equal(error_of(def, &index), RAIM_MAP_SPAWN_BLOCKED);
    assert_int_equal(index, 1);
}

static void test_counts_out_of_range_are_refused(void **state)
{
    (void)state;
    const raim_vec2 spawn = {0, 0};
    const int bad[][2] = {{-1, 1}, {RAIM_MAX_OBSTACLES + 1, 1}, {0, -1}, {0, RAIM_MAX_SPAWNS + 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(
            error_of((struct raim_map_def){"", arena, NULL, bad[i][0], &spawn, bad[i][1]}, NULL),
            RAIM_MAP_COUNT);
}

static void test_coordinates_are_rounded_and_names_cut(void **state)
{
    (void)state;
    const struct raim_obstacle_def obstacle = block(0.01, -0.01, 40.02, 40);
    const raim_vec2 spawn = {-50.49, 60.51};
    struct raim_map_problem problem;
    struct raim_map *map =
        raim_map_create(&(struct raim_map_def){"0123456789abcdef0123456789abcdef0123", arena,
                                               &obstacle, 1, &spawn, 1},
                        &problem);
    assert_non_null(map);
    assert_string_equal(map->name, "0123456789abcdef0123456789abcde");
    assert_true(map->spawns[0].x == -50.5 && map->spawns[0].y == 60.5);
    assert_true(map->obstacles[0].bounds.min.x == 0 && map->obstacles[0].bounds.min.y == 0);
    assert_true(map->obstacles[0].bounds.max.x == 40 + RAIM_MAP_GRID);
    raim_map_destroy(map);
}

static void test_cells_list_what_touches_them_in_order(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        const int count = chance_int(0, 80);
        struct raim_map *map = chance_map(count, chance_between(20, 250));
        const struct raim_map_grid *grid = &map->grid;
        for (int cell = 0; cell < grid->columns * grid->rows; cell++) {
            const double side = 1 / grid->cells_per_unit;
            const raim_vec2 min = {grid->origin.x + cell % grid->columns * side,
                                   grid->origin.y + cell / grid->columns * side};
            const raim_box inner =
                raim_box_grow((raim_box){min, {min.x + side, min.y + side}}, -1e-6);
            const raim_box outer = raim_box_grow(inner, 2e-6);
            int at = grid->starts[cell];
            for (int i = 0; i < count; i++) {
                const bool listed = at < grid->starts[cell + 1] && grid->entries[at] == i;
                at += listed;
                assert_true(!listed || raim_box_overlaps(map->obstacles[i].bounds, outer));
                assert_true(listed || !raim_box_overlaps(map->obstacles[i].bounds, inner));
            }
            assert_int_equal(at, grid->starts[cell + 1]);
        }
        raim_map_destroy(map);
    }
}

static void test_many_large_obstacles_take_little_memory(void **state)
{
    (void)state;
    struct raim_obstacle_def *obstacles = calloc(RAIM_MAX_OBSTACLES, sizeof *obstacles);
    for (int i = 0; i < RAIM_MAX_OBSTACLES; i++)
        obstacles[i] = block(-800, -500, 900, 500);
    struct raim_map *map = make_map(obstacles, RAIM_MAX_OBSTACLES);
    const int cells = map->grid.columns * map->grid.rows;
    assert_true(map->grid.starts[cells] <= 16 * RAIM_MAX_OBSTACLES);
    assert_false(raim_map_is_free(map, (raim_vec2){905, 0}, 10));
    assert_true(raim_map_is_free(map, (raim_vec2){915, 0}, 10));
    raim_map_destroy(map);
    free(obstacles);
}

static void test_destroy_takes_null(void **state)
{
    (void)state;
    raim_map_destroy(NULL);
}

static void test_queries_agree_with_asking_every_obstacle(void **state)
{
    (void)state;
    int hits = 0, blocked = 0;
    for (int round = 0; round < 40; round++) {
        const int count = chance_int(0, 60);
        struct raim_map *map = chance_map(count, chance_between(20, 200));
        for (int i = 0; i < 5000; i++) {
            const raim_vec2 place = chance_place();
            const double radius = chance_between(0.5, 60);
            const double gap = slow_gap(map, place, radius);
            if (fabs(gap + RAIM_MAP_SLOP) > 1e-10)
                assert_int_equal(raim_map_is_free(map, place, radius), gap >= 0);

            const double reach = chance_int(0, 1) == 0 ? 30 : 2000;
            const raim_vec2 way = {chance_int(0, 9) == 0 ? 0 : chance_between(-reach, reach),
                                   chance_int(0, 9) == 0 ? 0 : chance_between(-reach, reach)};
            double first = raim_sweep_box(map->border, place, way, radius);
            double sight = RAIM_SWEEP_MISS;
            for (int j = 0; j < map->obstacle_count; j++) {
                first = fmin(first, raim_sweep_polygon(&map->obstacles[j], place, way, radius));
                sight = fmin(sight, raim_sweep_polygon(&map->obstacles[j], place, way, 0));
            }
            assert_true(raim_map_sweep(map, place, way, radius) == first);
            assert_int_equal(raim_map_sees(map, place, raim_vec2_add(place, way)), sight > 1);
            hits += first > 0 && first <= 1;
            blocked += sight > 0 && sight <= 1;
        }
        raim_map_destroy(map);
    }
    assert_true(hits > 10000 && blocked > 10000);
}

static void test_walks_stay_free(void **state)
{
    (void)state;
    int slides = 0;
    for (int round = 0; round < 40; round++) {
        const int count = chance_int(1, 80);
        struct raim_map *map = chance_map(count, chance_between(20, 250));
        const double radius = chance_between(4, 40);
        raim_vec2 place = chance_free(map, radius);
        raim_vec2 way = {0, 0};
        for (int i = 0; i < 5000; i++) {
            if (i % 20 == 0) {
                const double reach = chance_int(0, 3) == 0 ? 150 : 8;
                way = (raim_vec2){chance_between(-reach, reach), chance_between(-reach, reach)};
            }
            if (i % 500 == 0)
                place = chance_free(map, radius);
            const raim_vec2 end = raim_map_move(map, place, way, radius);
            assert_true(raim_map_is_free(map, end, radius));
            assert_true(slow_gap(map, end, radius) > -2 * RAIM_MAP_SLOP);
            const raim_vec2 straight = raim_vec2_add(place, way);
            if (raim_vec2_length(way) < radius / 2) {
                if (slow_gap(map, straight, radius) > 1e-6)
                    assert_true(end.x == straight.x && end.y == straight.y);
                // Nothing is nearer to a free place than the radius, so nothing lies between.
                assert_true(raim_vec2_distance_squared(place, end) < radius * radius);
            }
            slides += end.x != straight.x && raim_vec2_distance_squared(place, end) > 1;
            place = end;
        }
        raim_map_destroy(map);
    }
    assert_true(slides > 10000);
}

static void test_nobody_leaves_a_room_of_thin_walls(void **state)
{
    (void)state;
    const double thin = RAIM_MAP_GRID;
    const struct raim_obstacle_def walls[] = {
        block(-100, -100, 100, -100 + thin),
        block(-100, 100 - thin, 100, 100),
        block(-100, -100, -100 + thin, 100),
        block(100 - thin, -100, 100, 100),
    };
    struct raim_map *map = make_map(walls, 4);
    raim_vec2 place = {0, 0};
    for (int i = 0; i < 20000; i++) {
        const raim_vec2 way = {chance_between(-400, 400), chance_between(-400, 400)};
        place = raim_map_move(map, place, way, 20);
        assert_true(fabs(place.x) < 80 && fabs(place.y) < 80);
    }
    raim_map_destroy(map);
}

static void test_sliding_keeps_the_full_speed_along_the_wall(void **state)
{
    (void)state;
    // Three blocks in a row: their seams must not catch.
    const struct raim_obstacle_def wall[] = {block(-300, 0, -100, 50), block(-100, 0, 100, 50),
                                             block(100, 0, 300, 50)};
    struct raim_map *map = make_map(wall, 3);
    raim_vec2 place = {-250, -21};
    for (int i = 1; i <= 100; i++) {
        place = raim_map_move(map, place, (raim_vec2){5, 5}, 20);
        assert_true(fabs(place.x - (-250 + 5 * i)) < 1e-9);
        assert_true(fabs(place.y + 20) < 1e-9);
    }
    place = raim_map_move(map, (raim_vec2){-250, -21}, (raim_vec2){400, 300}, 20);
    assert_true(fabs(place.x - 150) < 1e-9 && fabs(place.y + 20) < 1e-9);
    raim_map_destroy(map);

    const struct raim_obstacle_def slope = {{{-300, -300}, {300, 0}, {-300, 300}}, 3};
    map = make_map(&slope, 1);
    const raim_vec2 along = raim_vec2_scale((raim_vec2){2, 1}, 1 / sqrt(5));
    const raim_vec2 out = {along.y, -along.x};
    place = raim_vec2_mad((raim_vec2){-200, -250}, out, 20);
    for (int i = 0; i < 60; i++) {
        const raim_vec2 before = place;
        place = raim_map_move(map, place, raim_vec2_sub(along, raim_vec2_scale(out, 4)), 20);
        assert_true(fabs(raim_vec2_dot(raim_vec2_sub(place, before), along) - 1) < 1e-9);
    }
    raim_map_destroy(map);
}

// Pushing into it from its mouth, a circle comes to rest where it touches both walls, and stays.
static void rest_in(const struct raim_map *map, raim_vec2 start, raim_vec2 way, raim_vec2 wanted,
                    double within)
{
    raim_vec2 place = start;
    for (int i = 0; i < 200; i++)
        place = raim_map_move(map, place, way, 20);
    assert_true(raim_vec2_distance_squared(place, wanted) < within * within);
    const raim_vec2 rest = place;
    for (int i = 0; i < 50; i++) {
        place = raim_map_move(map, place, way, 20);
        assert_true(raim_vec2_distance_squared(place, rest) < 1e-9 * 1e-9);
    }
}

static void test_circle_rests_in_a_corner(void **state)
{
    (void)state;
    struct raim_map *map = make_map(NULL, 0);
    rest_in(map, (raim_vec2){900, 550}, (raim_vec2){5, 2}, (raim_vec2){980, 580}, 1e-8);
    raim_map_destroy(map);

    const struct raim_obstacle_def corner[] = {block(0, -200, 40, 200), block(-200, 160, 40, 200)};
    map = make_map(corner, 2);
    rest_in(map, (raim_vec2){-100, 0}, (raim_vec2){3, 4}, (raim_vec2){-20, 140}, 1e-8);
    raim_map_destroy(map);

    // Between two slopes that meet at the origin, each steeper by a factor of the half angle's
    // tangent: the centre rests where it is a radius away from both.
    const double slopes[] = {2, 1, 0.5, 0.25};
    for (size_t i = 0; i < sizeof slopes / sizeof *slopes; i++) {
        const double rise = 200 * slopes[i];
        const struct raim_obstacle_def wedge[] = {
            {{{0, 0}, {-200, rise}, {-200, rise + 40}, {0, 40}}, 4},
            {{{0, 0}, {0, -40}, {-200, -rise - 40}, {-200, -rise}}, 4},
        };
        map = make_map(wedge, 2);
        const double x = -20 * sqrt(1 + slopes[i] * slopes[i]) / slopes[i];
        rest_in(map, (raim_vec2){x - 60, 3}, (raim_vec2){5, 0}, (raim_vec2){x, 0}, 1e-8);
        rest_in(map, (raim_vec2){x - 60, 3}, (raim_vec2){5, 1}, (raim_vec2){x, 0}, 1e-8);
        raim_map_destroy(map);
    }
}

static void test_circle_stops_at_a_gap_that_is_too_narrow(void **state)
{
    (void)state;
    const struct raim_obstacle_def gate[] = {block(0, -300, 10, -19), block(0, 19, 10, 300)};
    struct raim_map *map = make_map(gate, 2);
    const raim_vec2 wanted = {-sqrt(20.0 * 20 - 19 * 19), 0};
    rest_in(map, (raim_vec2){-100, 0}, (raim_vec2){5, 0}, wanted, 0.1);
    rest_in(map, (raim_vec2){-100, 1}, (raim_vec2){5, 0}, wanted, 0.1);
    raim_map_destroy(map);
}

static void test_circle_passes_a_gap_that_just_fits(void **state)
{
    (void)state;
    const struct raim_obstacle_def gate[] = {block(0, -300, 10, -20),
                                             block(0, 20 + RAIM_MAP_GRID, 10, 300)};
    struct raim_map *map = make_map(gate, 2);
    raim_vec2 place = {-100, 7};
    for (int i = 0; i < 60; i++)
        place = raim_map_move(map, place, (raim_vec2){5, 0}, 20);
    assert_true(place.x > 100);
    raim_map_destroy(map);
}

static void test_rounded_start_is_pushed_free(void **state)
{
    (void)state;
    const struct raim_obstacle_def wall = block(0, -100, 40, 100);
    struct raim_map *map = make_map(&wall, 1);
    const raim_vec2 ways[] = {{0, 3}, {5, 0}, {5, -4}, {-1, 0}, {0, 0}};
    for (int i = 0; i < 5; i++) {
        const raim_vec2 end = raim_map_move(map, (raim_vec2){-19.98, 0}, ways[i], 20);
        assert_true(raim_map_is_free(map, end, 20));
        assert_true(fabs(end.x - fmin(-20, -19.98 + ways[i].x)) < 1e-9 && end.y == ways[i].y);
    }
    raim_map_destroy(map);
}

static void test_start_that_does_not_fit_stays(void **state)
{
    (void)state;
    const struct raim_obstacle_def slot[] = {block(-100, 19, 100, 60), block(-100, -60, 100, -19)};
    struct raim_map *map = make_map(slot, 2);
    const raim_vec2 ways[] = {{0, 3}, {3, 0}, {0, 0}};
    for (int i = 0; i < 3; i++) {
        const raim_vec2 end = raim_map_move(map, (raim_vec2){0, 0}, ways[i], 20);
        assert_true(end.x == 0 && end.y == 0);
    }
    raim_map_destroy(map);
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_borders_are_refused),
        cmocka_unit_test(test_bad_obstacles_and_spawns_are_refused),
        cmocka_unit_test(test_counts_out_of_range_are_refused),
        cmocka_unit_test(test_coordinates_are_rounded_and_names_cut),
        cmocka_unit_test(test_cells_list_what_touches_them_in_order),
        cmocka_unit_test(test_many_large_obstacles_take_little_memory),
        cmocka_unit_test(test_destroy_takes_null),
        cmocka_unit_test(test_queries_agree_with_asking_every_obstacle),
        cmocka_unit_test(test_walks_stay_free),
        cmocka_unit_test(test_nobody_leaves_a_room_of_thin_walls),
        cmocka_unit_test(test_sliding_keeps_the_full_speed_along_the_wall),
        cmocka_unit_test(test_circle_rests_in_a_corner),
        cmocka_unit_test(test_circle_stops_at_a_gap_that_is_too_narrow),
        cmocka_unit_test(test_circle_passes_a_gap_that_just_fits),
        cmocka_unit_test(test_rounded_start_is_pushed_free),
        cmocka_unit_test(test_start_that_does_not_fit_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
