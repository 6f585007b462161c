// SPDX-License-Identifier: MIT
// Tests of the shipped maps: they are symmetric, have room to move, and load without a warning.
#define _GNU_SOURCE
#include "map_file.h"
#include "test.h"

static const char *const names[] = {"duel", "crossfire", "ruins"};

// The narrowest passage between walls, in units. A player is 40 wide and must pass with ease.
static const double narrowest = 60;

static struct raim_map *maps[3];

static int load_maps(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        char path[1024], *text;
        size_t size;
        struct diagnostics report = {.out = open_memstream(&text, &size)};
        snprintf(path, sizeof path, "%s/config/maps/%s.conf", RAIM_SOURCE_DIR, names[i]);
        maps[i] = map_file_load(path, NULL, narrowest / 2, &report);
        fclose(report.out);
        assert_string_equal(text, "");
        free(text);
        assert_non_null(maps[i]);
        assert_string_equal(maps[i]->name, names[i]);
    }
    return 0;
}

static int destroy_maps(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        raim_map_destroy(maps[i]);
    return 0;
}

static bool has_point(const struct raim_map_outline *outline, raim_vec2 point)
{
    for (int i = 0; i < outline->count; i++)
        if (outline->points[i].x == point.x && outline->points[i].y == point.y)
            return true;
    return false;
}

static bool has_turned(const struct raim_map *map, const struct raim_map_outline *outline)
{
    for (int i = 0; i < map->outline_count; i++) {
        int same = 0;
        for (int p = 0; p < outline->count; p++)
            same += has_point(&map->outlines[i], raim_vec2_scale(outline->points[p], -1));
        if (same == outline->count && same == map->outlines[i].count)
            return true;
    }
    return false;
}

TEST(no_side_has_an_advantage)
{
    for (int m = 0; m < 3; m++) {
        const struct raim_map *map = maps[m];
        assert_true(map->border.min.x == -map->border.max.x);
        assert_true(map->border.min.y == -map->border.max.y);
        for (int i = 0; i < map->outline_count; i++)
            assert_true(has_turned(map, &map->outlines[i]));
        for (int i = 0; i < map->spawn_count; i++) {
            int twins = 0;
            for (int j = 0; j < map->spawn_count; j++)
                twins +=
                    map->spawns[i].x == -map->spawns[j].x && map->spawns[i].y == -map->spawns[j].y;
            assert_int_equal(twins, 1);
        }
    }
}

static double segment_distance(raim_vec2 a, raim_vec2 b, raim_vec2 point)
{
    const raim_vec2 along = raim_vec2_sub(b, a);
    const double part = raim_vec2_dot(raim_vec2_sub(point, a), along) / raim_vec2_dot(along, along);
    const raim_vec2 near = raim_vec2_mad(a, along, fmin(fmax(part, 0), 1));
    return sqrt(raim_vec2_distance_squared(point, near));
}

static double gap_between(const struct raim_map_outline *a, const struct raim_map_outline *b)
{
    double gap = INFINITY;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) {
            const int next_i = (i + 1) % a->count, next_j = (j + 1) % b->count;
            gap = fmin(gap, segment_distance(b->points[j], b->points[next_j], a->points[i]));
            gap = fmin(gap, segment_distance(a->points[i], a->points[next_i], b->points[j]));
        }
    return gap;
}

TEST(no_gap_is_too_narrow)
{
    for (int m = 0; m < 3; m++) {
        const struct raim_map *map = maps[m];
        const raim_box inner = raim_box_grow(map->border, -narrowest);
        for (int i = 0; i < map->outline_count; i++) {
            for (int p = 0; p < map->outlines[i].count; p++)
                assert_true(raim_box_contains(inner, map->outlines[i].points[p]));
            for (int j = 0; j < i; j++)
                assert_true(gap_between(&map->outlines[i], &map->outlines[j]) >= narrowest);
        }
    }
}

TEST(spawns_are_well_apart)
{
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < maps[m]->spawn_count; i++)
            for (int j = 0; j < i; j++)
                assert_true(raim_vec2_distance_squared(maps[m]->spawns[i], maps[m]->spawns[j]) >=
                            300 * 300);
}

TEST(maps_are_of_three_sizes)
{
    for (int m = 1; m < 3; m++) {
        assert_true(maps[m]->border.max.x > maps[m - 1]->border.max.x);
        assert_true(maps[m]->outline_count > maps[m - 1]->outline_count);
        assert_true(maps[m]->obstacle_count > maps[m]->outline_count); // some are not convex
    }
    assert_true(maps[2]->border.max.x == 3000 && maps[2]->border.max.y == 2000);
    assert_true(maps[2]->outline_count >= 60);
}

TEST_GROUP(load_maps, destroy_maps)
