// SPDX-License-Identifier: MIT
// Fuzzes map files: an accepted map can be played and sent to a client; every rejection has an
// explanation. An input is the text of a map file.
#define _GNU_SOURCE
#include "fuzz.h"

#include "angle.h"
#include "fuzz_text.h"
#include "map_file.h"

// Every spawn is a place to stand, to walk from and to see from.
static void check_spawns(const struct raim_map *map, double radius)
{
    for (int i = 0; i < map->spawn_count; i++) {
        raim_vec2 at = map->spawns[i];
        assert(raim_map_is_free(map, at, radius));
        for (int turn = 0; turn < 8; turn++) {
            const raim_vec2 way = raim_angle_direction((raim_angle)(turn * RAIM_ANGLE_TURN / 8));
            const raim_vec2 before = at;
            at = raim_map_move(map, at, raim_vec2_scale(way, radius), radius);
            assert(raim_map_is_free(map, at, radius));
            assert(raim_map_sees(map, before, before));
        }
    }
}

static void assert_same_polygon(const raim_polygon *a, const raim_polygon *b)
{
    const size_t count = (size_t)a->count;
    assert(a->count == b->count && a->seams == b->seams);
    assert(memcmp(a->points, b->points, count * sizeof a->points[0]) == 0);
    assert(memcmp(a->normals, b->normals, count * sizeof a->normals[0]) == 0);
    assert(memcmp(a->offsets, b->offsets, count * sizeof a->offsets[0]) == 0);
}

// A client makes the same map of the pieces that it is told.
static void check_telling(const struct raim_map *map)
{
    const size_t count = (size_t)map->obstacle_count;
    struct raim_piece_def *pieces = calloc(count + 1, sizeof *pieces);
    assert(pieces != NULL);
    for (size_t i = 0; i < count; i++) {
        const raim_polygon *polygon = &map->obstacles[i];
        pieces[i].count = polygon->count;
        pieces[i].seams = polygon->seams;
        memcpy(pieces[i].points, polygon->points, sizeof polygon->points);
    }
    const struct raim_map_def def = {
        .name = map->name,
        .border = map->border,
        .pieces = pieces,
        .piece_count = map->obstacle_count,
    };
    struct raim_map_problem problem;
    struct raim_map *told = raim_map_create(&def, &problem);
    assert(told != NULL && told->obstacle_count == map->obstacle_count);
    for (size_t i = 0; i < count; i++)
        assert_same_polygon(&told->obstacles[i], &map->obstacles[i]);
    raim_map_destroy(told);
    free(pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { RADIUS = 20 };
    char *text = calloc(1, size + 1), *words = NULL;
    size_t length = 0;
    assert(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    if (strstr(text, "@include") == NULL) { // fuzz_config is for these
        struct diagnostics report = {.out = open_memstream(&words, &length)};
        assert(report.out != NULL);
        struct raim_map *map = map_file_parse("map/fuzz.conf", text, RADIUS, &report);
        fclose(report.out);
        assert((map == NULL) == (report.problems > 0));
        fuzz_check_report(words, "map/", map != NULL);
        if (map != NULL) {
            check_spawns(map, RADIUS);
            check_telling(map);
        }
        raim_map_destroy(map);
    }
    free(words);
    free(text);
    return 0;
}
