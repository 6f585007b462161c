// SPDX-License-Identifier: MIT
// Loads the maps that a configuration names, and compares them.
#define _GNU_SOURCE
#include "config_keys.h"
#include "config_loader.h"
#include "embedded.h"
#include "map_file.h"
#include "source.h"

#include <stdlib.h>
#include <string.h>

enum { LOCATION_BYTES = 512 };

// A map file that an arena names.
struct config_map_request {
    reader_node node; // the value that names the file
    char *path;       // owned
    const struct config_arena *arena;
    const struct raim_map **map;
};

char *config_find_map(const char *config_path, const char *path)
{
    return source_find(config_path, path, RAIM_DATA_DIRECTORY);
}

bool config_begin_maps(struct config_loader *loader, int arena_count)
{
    const size_t most = ((size_t)arena_count + 1) * (1 + CONFIG_MAX_ROTATION);
    loader->map_requests = calloc(most, sizeof *loader->map_requests);
    loader->config->maps = calloc(most, sizeof *loader->config->maps);
    loader->config->map_paths = calloc(most, sizeof *loader->config->map_paths);
    return loader->map_requests != NULL && loader->config->maps != NULL &&
           loader->config->map_paths != NULL;
}

static void request_map(struct config_loader *loader, reader_node node, const char *file,
                        const struct config_arena *arena, const struct raim_map **map)
{
    char *path = loader->is_built_in ? strdup(file) : config_find_map(loader->path, file);
    if (path == NULL) {
        diagnostics_no_memory(loader->diagnostics);
        return;
    }
    loader->map_requests[loader->map_request_count++] =
        (struct config_map_request){.node = node, .path = path, .arena = arena, .map = map};
}

void config_load_map_key(reader_node node, void *into, void *context)
{
    struct config_arena *arena = into;
    const char *file;
    if (reader_text(node, config_is_path, CONFIG_PATH_EXPECTED, &file))
        request_map(context, node, file, arena, &arena->match.map);
}

void config_load_rotation(reader_node node, void *into, void *context)
{
    struct config_arena *arena = into;
    const int count = reader_count(node);
    if (count > CONFIG_MAX_ROTATION) {
        reader_value_error(node, "a list of at most %d paths of map files", CONFIG_MAX_ROTATION);
        return;
    }
    for (int i = 0; i < count; i++) {
        const reader_node item = reader_item(node, i);
        const char *file;
        if (reader_text(item, config_is_path, CONFIG_PATH_EXPECTED, &file))
            request_map(context, item, file, arena, &arena->rotation[i]);
    }
    arena->rotation_count = count;
    // The maps of a template are those that a request may name.
    if (count > 0 && !arena->is_on_demand && arena->match.tuning.round_s == 0 &&
        arena->match.tuning.score_limit == 0)
        reader_warn(node, "no round ends without round_time or score_limit, so that only the "
                          "operator changes the map");
}

static bool is_same_file(const struct config_map_request *a, const struct config_map_request *b)
{
    return strcmp(a->path, b->path) == 0;
}

// A map that fits the largest players of its arenas fits all of them.
static double largest_radius(const struct config_loader *loader,
                             const struct config_map_request *request)
{
    double largest = 0;
    for (int i = 0; i < loader->map_request_count; i++) {
        const struct config_map_request *other = &loader->map_requests[i];
        if (is_same_file(other, request) && other->arena->match.rules.player_radius > largest)
            largest = other->arena->match.rules.player_radius;
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
        i++; // ends: a test loads config/demo.conf
    return files[i].text;
}

static struct raim_map *load_map(struct config_loader *loader,
                                 const struct config_map_request *request)
{
    const double radius = largest_radius(loader, request);
    if (loader->is_built_in)
        return map_file_parse(request->path, find_built_in(request->path), radius,
                              loader->diagnostics);
    char named_at[LOCATION_BYTES];
    reader_key_location(request->node, named_at, sizeof named_at);
    return map_file_load(request->path, named_at, radius, loader->diagnostics);
}

void config_load_maps(struct config_loader *loader)
{
    struct config *config = loader->config;
    for (int i = 0; i < loader->map_request_count; i++) {
        const struct config_map_request *request = &loader->map_requests[i],
                                        *first = loader->map_requests;
        while (!is_same_file(first, request))
            first++;
        if (first < request) {
            *request->map = *first->map;
            continue;
        }
        struct raim_map *map = load_map(loader, request);
        *request->map = map;
        if (map == NULL)
            continue;
        char **path = &config->map_paths[config->map_count];
        config->maps[config->map_count++] = map;
        if (!loader->is_built_in && (*path = strdup(request->path)) == NULL)
            diagnostics_no_memory(loader->diagnostics);
    }
    for (int i = 0; i < loader->map_request_count; i++)
        free(loader->map_requests[i].path);
    free(loader->map_requests);
    loader->map_requests = NULL;
    loader->map_request_count = 0;
}

// Two loads of an unchanged file give maps that are equal bit for bit.
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
    return is_same_map(a->match.map, b->match.map);
}

bool config_has_same_templates(const void *config, const void *other)
{
    const struct config *a = config, *b = other;
    bool same = a->template_count == b->template_count;
    for (int i = 0; same && i < a->template_count; i++)
        same = config_has_same_map(&a->templates[i], &b->templates[i]) &&
               config_has_same_rotation(&a->templates[i], &b->templates[i]);
    return same;
}

bool config_has_same_rotation(const void *arena, const void *other)
{
    const struct config_arena *a = arena, *b = other;
    for (int i = 0; i < a->rotation_count && i < b->rotation_count; i++)
        if (!is_same_map(a->rotation[i], b->rotation[i]))
            return false;
    return a->rotation_count == b->rotation_count;
}
