// SPDX-License-Identifier: MIT
// Tests of map creation and of the collision and visibility queries. The oracle tests every
// obstacle.
#include "angle.h"
#include "chance.h"
#include "map_clearance.h"
#include "map_fixture.h"

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

TEST(bad_borders_are_rejected)
{
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

TEST(bad_obstacles_and_spawns_are_rejected)
{
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

TEST(counts_out_of_range_are_rejected)
{
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

// Returns a comb, which has at least one piece for each tooth and one for its back.
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

TEST(too_many_pieces_are_rejected)
{
    struct raim_obstacle_def *obstacles = calloc(400, sizeof *obstacles);
    for (int i = 0; i < 400; i++)
        obstacles[i] = comb(-990 + 45 * (i % 40), -590 + 10 * (i / 40));
    struct raim_map_def def = {.name = "", .border = arena, .obstacles = obstacles};
    int index;
    def.obstacle_count = 400;
    assert_int_equal(error_of(def, &index), RAIM_MAP_COUNT);
    assert_true(index > 50 && index < 400);
    def.obstacle_count = index; // as many as fit
    assert_int_equal(error_of(def, NULL), RAIM_MAP_OK);
    free(obstacles);
}

TEST(coordinates_are_rounded_and_names_cut)
{
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

// Returns a random obstacle, usually with reflex corners.
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

TEST(outlines_list_their_pieces)
{
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

TEST(pieces_make_the_same_obstacles_to_the_bit)
{
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
        struct raim_map *received = make_map_of_pieces(pieces, map->obstacle_count);
        assert_non_null(received);
        assert_int_equal(received->outline_count, 0);
        assert_int_equal(received->obstacle_count, map->obstacle_count);
        assert_memory_equal(received->obstacles, map->obstacles,
                            (size_t)map->obstacle_count * sizeof map->obstacles[0]);
        raim_map_destroy(received);
        raim_map_destroy(map);
    }
    assert_true(cut);
}

TEST(pieces_that_no_cut_makes_are_rejected)
{
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
        {{{0, 0}, {50, 0}, {50 + 0.01, 0.01}, {50, 50}}, 4, 0}, // an edge of length 0
        {{{0, 0}, {50, 0}, {50, NAN}}, 3, 0},
        {{{0, 0}, {1001, 0}, {50, 50}}, 3, 0}, // beyond the border
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null(make_map_of_pieces(&bad[i], 1));
}

TEST(cells_list_what_touches_them_in_order)
{
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

TEST(many_large_obstacles_take_little_memory)
{
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

TEST(queries_agree_with_testing_every_obstacle)
{
    int hits = 0, blocked = 0;
    for (int round = 0; round < 40; round++) {
        const int count = chance_int(0, 60);
        struct raim_map *map = chance_map(count, chance_between(20, 200));
        for (int i = 0; i < 5000; i++) {
            const raim_vec2 position = chance_place();
            const double radius = chance_between(0.5, 60);
            const double gap = slow_gap(map, position, radius);
            if (fabs(gap + RAIM_MAP_SLOP) > 1e-10)
                assert_int_equal(raim_map_is_free(map, position, radius), gap >= 0);

            const double reach = chance_int(0, 1) == 0 ? 30 : 2000;
            const raim_vec2 way = {chance_int(0, 9) == 0 ? 0 : chance_between(-reach, reach),
                                   chance_int(0, 9) == 0 ? 0 : chance_between(-reach, reach)};
            double first = raim_sweep_box(map->border, position, way, radius);
            double sight = RAIM_SWEEP_MISS;
            for (int j = 0; j < map->obstacle_count; j++) {
                first = fmin(first, raim_sweep_polygon(&map->obstacles[j], position, way, radius));
                sight = fmin(sight, raim_sweep_polygon(&map->obstacles[j], position, way, 0));
            }
            assert_true(raim_map_sweep(map, position, way, radius) == first);
            assert_int_equal(raim_map_sees(map, position, raim_vec2_add(position, way)), sight > 1);
            hits += first > 0 && first <= 1;
            blocked += sight > 0 && sight <= 1;
        }
        raim_map_destroy(map);
    }
    assert_true(hits > 10000 && blocked > 10000);
}

// --- Map clearance ---

// Tests of the clearance. The oracle is the distance to every obstacle.

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
