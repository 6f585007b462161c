// SPDX-License-Identifier: MIT
// Pairs the arenas of two configurations and compares their values one by one.
#define _GNU_SOURCE
#include "config_diff.h"

#include "config_values.h"
#include "xalloc.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

static void compare_values(struct config_diff *diff, const struct config *old_config,
                           const struct config *new_config, int old_arena, int new_arena);
static void add_arena(struct config_diff *diff, const struct config *config, int arena,
                      bool is_new);

struct config_diff *config_diff_create(const struct config *old_config,
                                       const struct config *new_config)
{
    assert(old_config->values != NULL);
    assert(new_config->values != NULL);
    struct config_diff *diff = memory_must(calloc(1, sizeof *diff));
    compare_values(diff, old_config, new_config, -1, -1);
    for (int i = 0; i < new_config->arena_count; i++) {
        const int partner = config_diff_partner(old_config, new_config, i);
        if (partner >= 0)
            compare_values(diff, old_config, new_config, partner, i);
        else
            add_arena(diff, new_config, i, true);
    }
    for (int i = 0; i < old_config->arena_count; i++)
        if (config_diff_partner(new_config, old_config, i) < 0)
            add_arena(diff, old_config, i, false);
    return diff;
}

void config_diff_free(struct config_diff *diff)
{
    if (diff == NULL)
        return;
    for (int i = 0; i < diff->count; i++)
        free(diff->changes[i].text);
    free(diff->changes);
    free(diff);
}

// --- Arenas ---

static int find_name(const struct config *config, const char *name)
{
    for (int i = 0; i < config->arena_count; i++)
        if (strcmp(config->arenas[i].name, name) == 0)
            return i;
    return -1;
}

// No two arenas of a configuration share a name, nor an address and port, so that both ends find
// the same pairs.
int config_diff_partner(const struct config *theirs, const struct config *mine, int arena)
{
    const struct config_arena *wanted = &mine->arenas[arena];
    const int namesake = find_name(theirs, wanted->name);
    if (namesake >= 0 || wanted->port == 0)
        return namesake;
    for (int i = 0; i < theirs->arena_count; i++) {
        const struct config_arena *other = &theirs->arenas[i];
        if (other->port == wanted->port && strcmp(other->address, wanted->address) == 0 &&
            find_name(mine, other->name) < 0)
            return i;
    }
    return -1;
}

// Maps of one file that was read twice are equal bit for bit, unless it changed in between.
static bool same_map(const struct raim_map *a, const struct raim_map *b)
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

static bool same_rotation(const struct config_arena *a, const struct config_arena *b)
{
    for (int i = 0; i < a->rotation_count && i < b->rotation_count; i++)
        if (!same_map(a->rotation[i], b->rotation[i]))
            return false;
    return a->rotation_count == b->rotation_count;
}

// Whether the files that a value names are what they were.
static bool same_files(const char *name, const struct config_arena *a, const struct config_arena *b)
{
    if (strcmp(name, "map") == 0)
        return same_map(a->map, b->map);
    return strcmp(name, "rotation") != 0 || same_rotation(a, b);
}

// --- Changes ---

__attribute__((format(printf, 3, 4))) static void
add_change(struct config_diff *diff, struct config_change change, const char *format, ...)
{
    if (diff->count == diff->capacity) {
        diff->capacity = diff->capacity == 0 ? 16 : 2 * diff->capacity;
        diff->changes =
            memory_must(realloc(diff->changes, (size_t)diff->capacity * sizeof *diff->changes));
    }
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&change.text, format, arguments) < 0)
        memory_end();
    va_end(arguments);
    diff->restart_count += change.needs_restart;
    diff->changes[diff->count++] = change;
}

// The name of an arena that is gone stands at a place of the file as it was.
static void add_arena(struct config_diff *diff, const struct config *config, int arena, bool is_new)
{
    const struct config_value *name = config_values_find(config->values, arena, "name");
    const struct config_change change = {
        .old_arena = is_new ? -1 : arena,
        .new_arena = is_new ? arena : -1,
    };
    if (is_new)
        add_change(diff, change, "%s: arenas[%d]: nothing -> %s", name->place, arena, name->text);
    else
        add_change(diff, change, "%s: arenas[%d]: %s -> nothing", name->place, arena, name->text);
}

// Numbers that are written differently may be equal: 2 and 2.0.
static bool same_text(const struct config_value *a, const struct config_value *b)
{
    const bool is_number = a->key->kind == READER_NUMBER || a->key->kind == READER_INTEGER;
    return strcmp(a->text, b->text) == 0 ||
           (is_number && strtod(a->text, NULL) == strtod(b->text, NULL));
}

static const char *words(const struct config_value *value)
{
    return value != NULL && value->text[0] != '\0' ? value->text : "nothing";
}

static void compare_values(struct config_diff *diff, const struct config *old_config,
                           const struct config *new_config, int old_arena, int new_arena)
{
    const struct config_values *values = new_config->values;
    for (int i = 0; i < values->count; i++) {
        const struct config_value *to = &values->values[i];
        if (to->arena != new_arena)
            continue;
        const struct config_value *from =
            config_values_find(old_config->values, old_arena, to->name);
        const struct config_change change = {
            .needs_restart = !to->key->reloadable,
            .old_arena = old_arena,
            .new_arena = new_arena,
            .key = to->key,
        };
        if (from == NULL || !same_text(from, to))
            add_change(diff, change, "%s: %s: %s -> %s", to->place, to->path, words(from),
                       words(to));
        else if (new_arena >= 0 && !same_files(to->name, &old_config->arenas[old_arena],
                                               &new_config->arenas[new_arena]))
            add_change(diff, change, "%s: %s: %s -> another file of this name", to->place, to->path,
                       to->text);
    }
}
