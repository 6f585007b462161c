// SPDX-License-Identifier: MIT
// Tests of the movement of circles: in the open, along walls, into corners and through gaps.
#include "arena_fixture.h"
#include "chance.h"
#include "distance_field.h"
#include "map_fixture.h"
#include "test.h"

TEST(walks_stay_free)
{
    int slides = 0;
    for (int round = 0; round < chance_rounds(40); round++) {
        const int count = chance_int(1, 80);
        struct raim_map *map = chance_map(count, chance_between(20, 250));
        const double radius = chance_between(4, 40);
        raim_vec2 position = chance_free(map, radius);
        raim_vec2 way = {0, 0};
        for (int i = 0; i < 5000; i++) {
            if (i % 20 == 0) {
                const double reach = chance_int(0, 3) == 0 ? 150 : 8;
                way = (raim_vec2){chance_between(-reach, reach), chance_between(-reach, reach)};
            }
            if (i % 500 == 0)
                position = chance_free(map, radius);
            const raim_vec2 end = raim_map_move(map, position, way, radius);
            assert_true(raim_map_is_free(map, end, radius));
            assert_true(slow_gap(map, end, radius) > -2 * RAIM_MAP_SLOP);
            const raim_vec2 straight = raim_vec2_add(position, way);
            if (raim_vec2_length(way) < radius / 2) {
                if (slow_gap(map, straight, radius) > 1e-6)
                    assert_true(end.x == straight.x && end.y == straight.y);
                // No obstacle is nearer to a free position than the radius, so none lies between.
                assert_true(raim_vec2_distance_squared(position, end) < radius * radius);
            }
            slides += end.x != straight.x && raim_vec2_distance_squared(position, end) > 1;
            position = end;
        }
        raim_map_destroy(map);
    }
    assert_true(slides > chance_rounds(10000));
}

TEST(sliding_keeps_the_full_speed_along_the_wall)
{
    // The seams between three blocks in a row must not stop a slide.
    const struct raim_obstacle_def wall[] = {block(-300, 0, -100, 50), block(-100, 0, 100, 50),
                                             block(100, 0, 300, 50)};
    struct raim_map *map = make_map(wall, 3);
    raim_vec2 position = {-250, -21};
    for (int i = 1; i <= 100; i++) {
        position = raim_map_move(map, position, (raim_vec2){5, 5}, 20);
        assert_true(fabs(position.x - (-250 + 5 * i)) < 1e-9);
        assert_true(fabs(position.y + 20) < 1e-9);
    }
    position = raim_map_move(map, (raim_vec2){-250, -21}, (raim_vec2){400, 300}, 20);
    assert_true(fabs(position.x - 150) < 1e-9 && fabs(position.y + 20) < 1e-9);
    raim_map_destroy(map);

    const struct raim_obstacle_def slope = {{{-300, -300}, {300, 0}, {-300, 300}}, 3};
    map = make_map(&slope, 1);
    const raim_vec2 along = raim_vec2_scale((raim_vec2){2, 1}, 1 / sqrt(5));
    const raim_vec2 out = {along.y, -along.x};
    position = raim_vec2_mad((raim_vec2){-200, -250}, out, 20);
    for (int i = 0; i < 60; i++) {
        const raim_vec2 before = position;
        position = raim_map_move(map, position, raim_vec2_sub(along, raim_vec2_scale(out, 4)), 20);
        assert_true(fabs(raim_vec2_dot(raim_vec2_sub(position, before), along) - 1) < 1e-9);
    }
    raim_map_destroy(map);
}

// Asserts that a circle that moves into a corner comes to rest where it touches both walls.
static void rest_in(const struct raim_map *map, raim_vec2 start, raim_vec2 way, raim_vec2 wanted,
                    double within)
{
    raim_vec2 position = start;
    for (int i = 0; i < 200; i++)
        position = raim_map_move(map, position, way, 20);
    assert_true(raim_vec2_distance_squared(position, wanted) < within * within);
    const raim_vec2 rest = position;
    for (int i = 0; i < 50; i++) {
        position = raim_map_move(map, position, way, 20);
        assert_true(raim_vec2_distance_squared(position, rest) < 1e-9 * 1e-9);
    }
}

TEST(circle_rests_in_a_corner)
{
    struct raim_map *map = make_map(NULL, 0);
    rest_in(map, (raim_vec2){900, 550}, (raim_vec2){5, 2}, (raim_vec2){980, 580}, 1e-8);
    raim_map_destroy(map);

    const struct raim_obstacle_def corner[] = {block(0, -200, 40, 200), block(-200, 160, 40, 200)};
    map = make_map(corner, 2);
    rest_in(map, (raim_vec2){-100, 0}, (raim_vec2){3, 4}, (raim_vec2){-20, 140}, 1e-8);
    raim_map_destroy(map);

    // Two slopes meet at the origin. The centre rests where it is a radius away from both, which
    // the tangent of the half angle gives.
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

TEST(circle_stops_at_a_gap_that_is_too_narrow)
{
    const struct raim_obstacle_def admission[] = {block(0, -300, 10, -19), block(0, 19, 10, 300)};
    struct raim_map *map = make_map(admission, 2);
    const raim_vec2 wanted = {-sqrt(20.0 * 20 - 19 * 19), 0};
    rest_in(map, (raim_vec2){-100, 0}, (raim_vec2){5, 0}, wanted, 0.1);
    rest_in(map, (raim_vec2){-100, 1}, (raim_vec2){5, 0}, wanted, 0.1);
    raim_map_destroy(map);
}

TEST(circle_passes_a_gap_that_just_fits)
{
    const struct raim_obstacle_def admission[] = {block(0, -300, 10, -20),
                                                  block(0, 20 + RAIM_MAP_GRID, 10, 300)};
    struct raim_map *map = make_map(admission, 2);
    raim_vec2 position = {-100, 7};
    for (int i = 0; i < 60; i++)
        position = raim_map_move(map, position, (raim_vec2){5, 0}, 20);
    assert_true(position.x > 100);
    raim_map_destroy(map);
}

TEST(rounded_start_is_pushed_free)
{
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

TEST(start_that_does_not_fit_stays)
{
    const struct raim_obstacle_def slot[] = {block(-100, 19, 100, 60), block(-100, -60, 100, -19)};
    struct raim_map *map = make_map(slot, 2);
    const raim_vec2 ways[] = {{0, 3}, {3, 0}, {0, 0}};
    for (int i = 0; i < 3; i++) {
        const raim_vec2 end = raim_map_move(map, (raim_vec2){0, 0}, ways[i], 20);
        assert_true(end.x == 0 && end.y == 0);
    }
    raim_map_destroy(map);
}

// --- Distance field ---

// Tests of the distance field. The oracle is the map's exact line of sight.

static struct raim_map *random_map(void)
{
    raim_box boxes[30];
    const int count = chance_int(0, 30);
    for (int i = 0; i < count; i++) {
        const raim_vec2 corner = {chance_int(-800, 700), chance_int(-800, 700)};
        boxes[i] =
            (raim_box){corner, {corner.x + chance_int(5, 200), corner.y + chance_int(5, 200)}};
        // Keeps the spawns free.
        const raim_box near = raim_box_grow(boxes[i], 60);
        for (int s = 0; s < 4; s++)
            if (raim_box_contains(near, (raim_vec2){s % 2 ? 900 : -900, s / 2 ? 900 : -900}))
                boxes[i] = (raim_box){{-10, -10}, {10, 10}};
    }
    return fixture_map(boxes, count);
}

// Returns a random point, anywhere or on the lines and corners of the raster.
static raim_vec2 random_point(void)
{
    const bool is_round = chance_int(0, 2) == 0;
    const raim_vec2 point = {chance_between(-1000, 1000), chance_between(-1000, 1000)};
    return is_round ? (raim_vec2){16 * round(point.x / 16), 16 * round(point.y / 16)} : point;
}

TEST(a_line_found_free_is_free_and_most_free_lines_are_found)
{
    int seen = 0, found = 0;
    for (int round = 0; round < 50; round++) {
        struct raim_map *map = random_map();
        for (int i = 0; i < 2000; i++) {
            const raim_vec2 from = random_point();
            raim_vec2 to = chance_int(0, 9) == 0 ? from : random_point();
            to.x = chance_int(0, 9) == 0 ? from.x : to.x;
            const bool sees = raim_map_sees(map, from, to);
            const bool finds = raim_distance_field_sees(map, from, to);
            assert_true(sees || !finds);
            seen += sees;
            found += finds;
        }
        raim_map_destroy(map);
    }
    assert_true(found > 0.6 * seen);
}

TEST(a_map_made_from_pieces_has_no_field)
{
    const struct raim_piece_def piece = {.points = {{0, 0}, {100, 0}, {0, 100}}, .count = 3};
    const struct raim_map_def def = {
        .name = "client",
        .border = {{-1000, -1000}, {1000, 1000}},
        .pieces = &piece,
        .piece_count = 1,
    };
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&def, &problem);
    assert_non_null(map);
    assert_null(map->distance_field.cells);
    assert_true(raim_map_sees(map, (raim_vec2){-900, -900}, (raim_vec2){-900, 900}));
    assert_false(raim_distance_field_sees(map, (raim_vec2){-900, -900}, (raim_vec2){-900, 900}));
    raim_map_destroy(map);
}
