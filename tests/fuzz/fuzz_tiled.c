// SPDX-License-Identifier: MIT
// Fuzzes raimmap's import: an accepted file gives a map that raimd accepts, and the export of that
// map imports as the same map; every rejection has an explanation. An input is the text of a TMX or
// TMJ file.
#define _GNU_SOURCE
#include "fuzz.h"

#include "fuzz_text.h"
#include "map_file.h"
#include "rules.h"
#include "text_buffer.h"
#include "tiled.h"

// Returns NULL where the text is rejected.
static struct raim_map *import(const char *text, size_t size)
{
    char *words = NULL;
    size_t length = 0;
    struct diagnostics report = {.out = open_memstream(&words, &length)};
    assert(report.out != NULL);
    char *file = tiled_import("map/fuzz.tmx", text, size, "map/fuzz.conf", &report);
    fclose(report.out);
    assert((file == NULL) == (report.problems > 0));
    fuzz_check_report(words, "map/", file != NULL);
    free(words);
    if (file == NULL)
        return NULL;
    struct diagnostics again = {.out = fopen("/dev/null", "we")};
    struct raim_map *map =
        map_file_parse("map/fuzz.conf", file, raim_rules_default().player_radius, &again);
    fclose(again.out);
    assert(map != NULL);
    free(file);
    return map;
}

static void assert_same_map(const struct raim_map *a, const struct raim_map *b)
{
    assert(strcmp(a->name, b->name) == 0);
    assert(memcmp(&a->border, &b->border, sizeof a->border) == 0);
    assert(a->outline_count == b->outline_count && a->spawn_count == b->spawn_count);
    for (int i = 0; i < a->outline_count; i++) {
        const struct raim_map_outline *outline = &a->outlines[i], *other = &b->outlines[i];
        assert(outline->count == other->count);
        assert(memcmp(outline->points, other->points,
                      (size_t)outline->count * sizeof outline->points[0]) == 0);
    }
    assert(memcmp(a->spawns, b->spawns, (size_t)a->spawn_count * sizeof a->spawns[0]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(1, size + 1);
    assert(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    struct raim_map *map = import(text, size);
    free(text);
    if (map != NULL) {
        struct text_buffer out = {0};
        tiled_export(map, &out);
        assert(!out.no_memory);
        struct raim_map *again = import(out.text, out.size);
        assert(again != NULL);
        assert_same_map(map, again);
        raim_map_destroy(again);
        free(text_buffer_take(&out));
    }
    raim_map_destroy(map);
    return 0;
}
