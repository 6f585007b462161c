// SPDX-License-Identifier: MIT
// Tests of the distance field. The oracle is the map's exact line of sight.
//     test_clearing [--seed N]
#include "arena_fixture.h"
#include "chance.h"
#include "distance_field.h"
#include "test.h"

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
