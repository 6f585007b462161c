// SPDX-License-Identifier: MIT
// Loads the maps that a configuration names, and compares them.
#include "config_keys.h"
#include "config_loader.h"
#include "embedded.h"
#include "map_file.h"
#include "source.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_BYTES = 512 };

// A map that an arena plays on.
struct config_ask {
    reader_node node; // that names it
    char *path;       // owned
    const struct config_arena *arena;
    const struct raim_map **map;
};

// --- Loading ---

bool config_begin_maps(struct config_loader *loader, int arena_count)
{
    const size_t most = (size_t)arena_count * (1 + CONFIG_MAX_ROTATION);
    loader->asks = calloc(most, sizeof *loader->asks);
    loader->config->maps = calloc(most, sizeof *loader->config->maps);
    return loader->asks != NULL && loader->config->maps != NULL;
}

static void ask(struct config_loader *loader, reader_node node, const char *file,
                const struct config_arena *arena, const struct raim_map **map)
{
    char *path = source_resolve(loader->path, file);
    if (path == NULL) {
        report_no_memory(loader->report);
        return;
    }
    loader->asks[loader->ask_count++] =
        (struct config_ask){.node = node, .path = path, .arena = arena, .map = map};
}

void config_load_map_key(reader_node node, void *into, void *context)
{
    struct config_arena *arena = into;
    const char *file;
    if (reader_text(node, config_is_path, CONFIG_PATH_WANT, &file))
        ask(context, node, file, arena, &arena->map);
}

void config_load_rotation(reader_node node, void *into, void *context)
{
    struct config_arena *arena = into;
    const int count = reader_count(node);
    if (count > CONFIG_MAX_ROTATION) {
        reader_refuse(node, "a list of at most %d paths of map files", CONFIG_MAX_ROTATION);
        return;
    }
    for (int i = 0; i < count; i++) {
        const reader_node item = reader_item(node, i);
        const char *file;
        if (reader_text(item, config_is_path, CONFIG_PATH_WANT, &file))
            ask(context, item, file, arena, &arena->rotation[i]);
    }
    arena->rotation_count = count;
    if (count > 0 && arena->round_s == 0 && arena->score_limit == 0)
        reader_warn(node, "no round ends without round_time or score_limit, so that only the "
                          "operator changes the map");
}

static bool is_same_file(const struct config_ask *a, const struct config_ask *b)
{
    return strcmp(a->path, b->path) == 0;
}

// What fits the largest players of the arenas that play on a map fits all.
static double largest_radius(const struct config_loader *loader, const struct config_ask *asked)
{
    double largest = 0;
    for (int i = 0; i < loader->ask_count; i++) {
        const struct config_ask *other = &loader->asks[i];
        if (is_same_file(other, asked) && other->arena->rules.player_radius > largest)
            largest = other->arena->rules.player_radius;
    }
    return largest;
}

static const char *find_built_in(const char *path)
{
    static const struct {
        const char *path, *text;
    } files[] = {
        {"maps/duel.conf", embedded_map_duel},
        {"maps/crossfire.conf", embedded_map_crossfire},
    };
    size_t i = 0;
    while (strcmp(files[i].path, path) != 0)
        i++; // a test loads config/demo.conf
    return files[i].text;
}

static struct raim_map *load_map(struct config_loader *loader, const struct config_ask *asked)
{
    const double radius = largest_radius(loader, asked);
    if (loader->is_built_in)
        return map_file_parse(asked->path, find_built_in(asked->path), radius, loader->report);
    char asker[PLACE_BYTES];
    reader_place(asked->node, asker, sizeof asker);
    return map_file_load(asked->path, asker, radius, loader->report);
}

void config_load_maps(struct config_loader *loader)
{
    struct config *config = loader->config;
    for (int i = 0; i < loader->ask_count; i++) {
        const struct config_ask *asked = &loader->asks[i], *first = loader->asks;
        while (!is_same_file(first, asked))
            first++;
        if (first < asked) {
            *asked->map = *first->map;
            continue;
        }
        struct raim_map *map = load_map(loader, asked);
        if (map != NULL)
            config->maps[config->map_count++] = map;
        *asked->map = map;
    }
    for (int i = 0; i < loader->ask_count; i++)
        free(loader->asks[i].path);
    free(loader->asks);
    loader->asks = NULL;
    loader->ask_count = 0;
}

// --- Comparing ---

// Maps of one file that was read twice are equal bit for bit, unless it changed in between.
static bool is_same_map(const struct raim_map *a, const struct raim_map *b)
{
    if (strcmp(a->name, b->name) != 0 || memcmp(&a->border, &b->border, sizeof a->border) != 0 ||
        a->outline_count != b->outline_count || a->spawn_count != b->spawn_count)
        return false;
    for (int i = 0; i < a->outline_count; i++) {
        const struct raim_map_outline *mine = &a->outlines[i], *other = &b->outlines[i];
        if (mine->count != other->count ||
            memcmp(mine->points, other->points, (size_t)mine->count * sizeof(raim_vec2)) != 0)
            return false;
    }
    return memcmp(a->spawns, b->spawns, (size_t)a->spawn_count * sizeof(raim_vec2)) == 0;
}

bool config_has_same_map(const void *arena, const void *other)
{
    const struct config_arena *a = arena, *b = other;
    return is_same_map(a->map, b->map);
}

bool config_has_same_rotation(const void *arena, const void *other)
{
    const struct config_arena *a = arena, *b = other;
    for (int i = 0; i < a->rotation_count && i < b->rotation_count; i++)
        if (!is_same_map(a->rotation[i], b->rotation[i]))
            return false;
    return a->rotation_count == b->rotation_count;
}
