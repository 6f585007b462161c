// SPDX-License-Identifier: MIT
// Maps: what makes one, and how circles see, fly and walk in it, with every obstacle asked one by
// one as the judge.
#include "angle.h"
#include "chance_outlines.h"
#include "map.h"

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
    const struct raim_map_def def = {.name = "",
                                     .border = arena,
                                     .obstacles = obstacles,
                                     .obstacle_count = 2,
                                     .spawns = spawns,
                                     .spawn_count = 2};
    int index;
    assert_int_equal(error_of(def, NULL), RAIM_MAP_OK);

    obstacles[1].count = 2;
    assert_int_equal(error_of(def, &index), RAIM_MAP_OBSTACLE);
    assert_int_equal(index, 1);
    assert_int_equal(raim_map_check_obstacle(arena, &obstacles[1]).outline.error,
                     RAIM_OUTLINE_TOO_FEW_POINTS);
    obstacles[1] = (struct raim_obstacle_def){{{100, 0}, {150, 50}, {150, 0}, {100, 50}}, 4};
    const struct raim_map_problem problem = raim_map_check_obstacle(arena, &obstacles[1]);
    assert_int_equal(problem.error, RAIM_MAP_OBSTACLE);
    assert_int_equal(problem.outline.error, RAIM_OUTLINE_CROSSING);
    assert_int_equal(problem.outline.first_edge, 0);
    assert_int_equal(problem.outline.second_edge, 2);
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
        assert_int_equal(error_of((struct raim_map_def){.name = "",
                                                        .border = arena,
                                                        .obstacle_count = bad[i][0],
                                                        .spawns = &spawn,
                                                        .spawn_count = bad[i][1]},
                                  NULL),
                         RAIM_MAP_COUNT);
    const int bad_pieces[] = {-1, RAIM_MAX_OBSTACLES + 1};
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            error_of(
                (struct raim_map_def){.name = "", .border = arena, .piece_count = bad_pieces[i]},
                NULL),
            RAIM_MAP_COUNT);
}

// A comb has a piece for each tooth and one for its back, or more.
static struct raim_obstacle_def comb(double x, double y)
{
    struct raim_obstacle_def comb = {{{x, y + 5}, {x, y}}, 2};
    for (int tooth = 0; tooth < 20; tooth++) {
        const double left = x + 2 * tooth;
        comb.points[comb.count++] = (raim_vec2){left + 0.25, y + 3};
        comb.points[comb.count++] = (raim_vec2){left + 1, y};
        comb.points[comb.count++] = (raim_vec2){left + 1.75, y + 3.25};
    }
    comb.points[comb.count++] = (raim_vec2){x + 40, y + 5};
    return comb;
}

static void test_too_many_pieces_are_refused(void **state)
{
    (void)state;
    struct raim_obstacle_def *obstacles = calloc(400, sizeof *obstacles);
    for (int i = 0; i < 400; i++)
        obstacles[i] = comb(-990 + 45 * (i % 40), -590 + 10 * (i / 40));
    struct raim_map_def def = {.name = "", .border = arena, .obstacles = obstacles};
    int index;
    def.obstacle_count = 400;
    assert_int_equal(error_of(def, &index), RAIM_MAP_COUNT);
    assert_true(index > 50 && index < 400);
    def.obstacle_count = index; // all that fit
    assert_int_equal(error_of(def, NULL), RAIM_MAP_OK);
    free(obstacles);
}

static void test_coordinates_are_rounded_and_names_cut(void **state)
{
    (void)state;
    const struct raim_obstacle_def obstacle = block(0.01, -0.01, 40.02, 40);
    const raim_vec2 spawn = {-50.49, 60.51};
    struct raim_map_problem problem;
    struct raim_map *map =
        raim_map_create(&(struct raim_map_def){.name = "0123456789abcdef0123456789abcdef0123",
                                               .border = arena,
                                               .obstacles = &obstacle,
                                               .obstacle_count = 1,
                                               .spawns = &spawn,
                                               .spawn_count = 1},
                        &problem);
    assert_non_null(map);
    assert_string_equal(map->name, "0123456789abcdef0123456789abcde");
    assert_true(map->spawns[0].x == -50.5 && map->spawns[0].y == 60.5);
    assert_true(map->obstacles[0].bounds.min.x == 0 && map->obstacles[0].bounds.min.y == 0);
    assert_true(map->obstacles[0].bounds.max.x == 40 + RAIM_MAP_GRID);
    raim_map_destroy(map);
}

// An obstacle with reflex corners, most of the time.
static struct raim_obstacle_def chance_concave(raim_vec2 centre, double size)
{
    struct raim_obstacle_def star;
    do {
        star.count = chance_int(3, RAIM_MAX_OUTLINE_POINTS);
        const bool clockwise = chance_int(0, 1) == 1;
        for (int i = 0; i < star.count; i++)
            star.points[clockwise ? star.count - 1 - i : i] = raim_vec2_mad(
                centre, raim_angle_direction((raim_angle)(i * RAIM_ANGLE_TURN / star.count)),
                chance_between(0.3, 1) * size);
    } while (raim_map_check_obstacle(arena, &star).error != RAIM_MAP_OK);
    return star;
}

static struct raim_map *make_map_of_pieces(const struct raim_piece_def *pieces, int count)
{
    struct raim_map_problem problem;
    const struct raim_map_def def = {
        .name = "pieces", .border = arena, .pieces = pieces, .piece_count = count};
    return raim_map_create(&def, &problem);
}

static void test_outlines_know_their_pieces(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        struct raim_obstacle_def obstacles[8];
        for (int i = 0; i < 8; i++)
            obstacles[i] = chance_concave((raim_vec2){-800 + 200 * i, 0}, chance_between(20, 90));
        struct raim_map *map = make_map(obstacles, 8);
        assert_int_equal(map->outline_count, 8);
        int first = 0;
        for (int i = 0; i < 8; i++) {
            const struct raim_map_outline *outline = &map->outlines[i];
            assert_int_equal(outline->first_piece, first);
            assert_true(outline->piece_count >= 1);
            first += outline->piece_count;
            assert_int_equal(outline->count, obstacles[i].count);
            for (int p = 0; p < outline->count; p++)
                assert_true(fabs(outline->points[p].x - obstacles[i].points[p].x) <=
                            RAIM_MAP_GRID / 2);
            for (int sample = 0; sample < 100; sample++) {
                const raim_vec2 point = {-800 + 200 * i + chance_between(-90, 90),
                                         chance_between(-90, 90)};
                bool inside = false;
                for (int p = outline->first_piece; p < first; p++)
                    inside = inside || raim_polygon_contains(&map->obstacles[p], point);
                const double distance =
                    slow_outline_distance(outline->points, outline->count, point);
                if (fabs(distance) > 1e-9)
                    assert_int_equal(inside, distance < 0);
            }
        }
        assert_int_equal(first, map->obstacle_count);
        raim_map_destroy(map);
    }
}

static void test_pieces_make_the_same_obstacles_to_the_bit(void **state)
{
    (void)state;
    static struct raim_piece_def pieces[8 * RAIM_MAX_PIECES];
    bool cut = false;
    for (int round = 0; round < 100; round++) {
        struct raim_obstacle_def obstacles[8];
        for (int i = 0; i < 8; i++)
            obstacles[i] = chance_concave((raim_vec2){-800 + 200 * i, 0}, chance_between(20, 90));
        struct raim_map *map = make_map(obstacles, 8);
        for (int i = 0; i < map->obstacle_count; i++) {
            const raim_polygon *piece = &map->obstacles[i];
            pieces[i] = (struct raim_piece_def){.count = piece->count, .seams = piece->seams};
            memcpy(pieces[i].points, piece->points, sizeof piece->points);
            cut = cut || piece->seams != 0;
        }
        struct raim_map *told = make_map_of_pieces(pieces, map->obstacle_count);
        assert_non_null(told);
        assert_int_equal(told->outline_count, 0);
        assert_int_equal(told->obstacle_count, map->obstacle_count);
        assert_memory_equal(told->obstacles, map->obstacles,
                            (size_t)map->obstacle_count * sizeof map->obstacles[0]);
        raim_map_destroy(told);
        raim_map_destroy(map);
    }
    assert_true(cut);
}

static void test_pieces_that_no_cut_makes_are_refused(void **state)
{
    (void)state;
    const struct raim_piece_def good = {{{0, 0}, {50, 0}, {50, 50}}, 3, 4};
    struct raim_map *map = make_map_of_pieces(&good, 1);
    assert_int_equal(map->obstacles[0].seams, 4);
    raim_map_destroy(map);
    const struct raim_piece_def tiny = {{{0, 0}, {1, 0}, {0, 1}}, 3, 0};
    map = make_map_of_pieces(&tiny, 1);
    assert_non_null(map);
    raim_map_destroy(map);
    const struct raim_piece_def bad[] = {
        {{{0, 0}, {50, 50}, {50, 0}}, 3, 0},                    // clockwise
        {{{0, 0}, {50, 0}, {50, 50}}, 3, 8},                    // a seam too many
        {{{0, 0}, {50, 0}, {10, 10}, {0, 50}}, 4, 0},           // not convex
        {{{0, 0}, {50, 0}, {50, 50}}, 2, 0},                    // too few
        {{{0, 0}, {50, 0}, {50, 50}}, 17, 0},                   // too many
        {{{0, 0}, {50, 0}, {100, 0}, {50, 50}}, 4, 0},          // on one line
        {{{0, 0}, {50, 0}, {50 + 0.01, 0.01}, {50, 50}}, 4, 0}, // an edge of nothing
        {{{0, 0}, {50, 0}, {50, NAN}}, 3, 0},
        {{{0, 0}, {1001, 0}, {50, 50}}, 3, 0}, // beyond the border
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null(make_map_of_pieces(&bad[i], 1));
}

static void test_cells_list_what_touches_them_in_order(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        struct raim_map *map = chance_map(chance_int(0, 80), chance_between(20, 250));
        const struct raim_map_grid *grid = &map->grid;
        for (int cell = 0; cell < grid->columns * grid->rows; cell++) {
            const double side = 1 / grid->cells_per_unit;
            const raim_vec2 min = {grid->origin.x + cell % grid->columns * side,
                                   grid->origin.y + cell / grid->columns * side};
            const raim_box inner =
                raim_box_grow((raim_box){min, {min.x + side, min.y + side}}, -1e-6);
            const raim_box outer = raim_box_grow(inner, 2e-6);
            int at = grid->starts[cell];
            for (int i = 0; i < map->obstacle_count; i++) {
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
        cmocka_unit_test(test_too_many_pieces_are_refused),
        cmocka_unit_test(test_outlines_know_their_pieces),
        cmocka_unit_test(test_pieces_make_the_same_obstacles_to_the_bit),
        cmocka_unit_test(test_pieces_that_no_cut_makes_are_refused),
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
