// SPDX-License-Identifier: MIT
// Pairs the arenas of two configurations and compares their values one by one. An arena with
// another name is a renamed one if its address and port are equal.
#define _GNU_SOURCE
#include "config_diff.h"

#include "config_keys.h"
#include "text_buffer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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
    struct config_diff *diff = calloc(1, sizeof *diff);
    if (diff == NULL)
        return NULL;
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
    if (!diff->no_memory)
        return diff;
    config_diff_free(diff);
    return NULL;
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

// Names are unique within a configuration, and so are pairs of address and port. The pairing is
// therefore symmetric: looking from either configuration finds the same partner.
int config_diff_partner(const struct config *theirs, const struct config *mine, int arena)
{
    const struct config_arena *sought = &mine->arenas[arena];
    const int by_name = find_name(theirs, sought->name);
    if (by_name >= 0 || sought->port == 0)
        return by_name;
    for (int i = 0; i < theirs->arena_count; i++) {
        const struct config_arena *other = &theirs->arenas[i];
        if (other->port == sought->port && strcmp(other->address, sought->address) == 0 &&
            find_name(mine, other->name) < 0)
            return i;
    }
    return -1;
}

// --- Changes ---

static bool has_room(struct config_diff *diff)
{
    if (diff->count < diff->capacity)
        return true;
    const int capacity = diff->capacity == 0 ? 16 : 2 * diff->capacity;
    struct config_change *longer = realloc(diff->changes, (size_t)capacity * sizeof *diff->changes);
    if (longer == NULL)
        return false;
    diff->changes = longer;
    diff->capacity = capacity;
    return true;
}

__attribute__((format(printf, 3, 4))) static void
add_change(struct config_diff *diff, struct config_change change, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const bool good = has_room(diff) && vasprintf(&change.text, format, arguments) >= 0;
    va_end(arguments);
    if (!good) {
        diff->no_memory = true;
        return;
    }
    diff->restart_count += change.needs_restart;
    diff->changes[diff->count++] = change;
}

// The location of a removed arena's name refers to the old version of the file.
static void add_arena(struct config_diff *diff, const struct config *config, int arena, bool is_new)
{
    const struct config_value *name = config_values_find(config->values, arena, "name");
    const struct config_change change = {
        .old_arena = is_new ? -1 : arena,
        .new_arena = is_new ? arena : -1,
    };
    if (is_new)
        add_change(diff, change, "%s: arenas[%d]: nothing -> %s", name->location, arena,
                   name->text);
    else
        add_change(diff, change, "%s: arenas[%d]: %s -> nothing", name->location, arena,
                   name->text);
}

static const void *base_of(const struct config *config, int arena)
{
    return arena >= 0 ? (const void *)&config->arenas[arena] : config;
}

static const char *words(const struct config_value *value)
{
    return value->text[0] != '\0' ? value->text : "nothing";
}

// Compares values and not texts, because 2 and 2.0 are equal.
static bool is_same_value(const struct config_value *from, const void *old_base,
                          const struct config_value *to, const void *new_base)
{
    const struct reader_key *key = to->key;
    if (key->kind == READER_TEXT || key->kind == READER_LIST)
        return strcmp(from->text, to->text) == 0;
    return memcmp((const char *)old_base + from->offset, (const char *)new_base + to->offset,
                  key->size) == 0;
}

static void compare_values(struct config_diff *diff, const struct config *old_config,
                           const struct config *new_config, int old_arena, int new_arena)
{
    const struct config_values *values = new_config->values;
    const void *old_base = base_of(old_config, old_arena);
    const void *new_base = base_of(new_config, new_arena);
    for (int i = 0; i < values->count; i++) {
        const struct config_value *to = &values->values[i];
        if (to->arena != new_arena)
            continue;
        const struct config_value *from =
            config_values_find(old_config->values, old_arena, to->name);
        assert(from != NULL); // both come from the same tables
        const struct config_change change = {
            .needs_restart = to->key->applies == READER_AT_RESTART,
            .old_arena = old_arena,
            .new_arena = new_arena,
            .from = from,
            .to = to,
        };
        if (!is_same_value(from, old_base, to, new_base))
            add_change(diff, change, "%s: %s: %s -> %s", to->location, to->path, words(from),
                       words(to));
        else if (to->key->same_files != NULL && !to->key->same_files(old_base, new_base))
            add_change(diff, change, "%s: %s: %s -> another file of this name", to->location,
                       to->path, to->text);
    }
}

bool config_diff_restore(const struct config_change *change, struct config *new_config,
                         const struct config *old_config)
{
    const struct config_value *from = change->from, *to = change->to;
    assert(to->key->size > 0);
    struct config_values *values = new_config->values;
    char *new_base = change->new_arena >= 0 ? (char *)&new_config->arenas[change->new_arena]
                                            : (char *)new_config;
    const char *old_base = base_of(old_config, change->old_arena);
    if (!config_value_set_text(&values->values[to - values->values], from->text))
        return false;
    memcpy(new_base + to->offset, old_base + from->offset, to->key->size);
    return true;
}

enum {
    LOCATION_BYTES = 512, // longer locations are cut
    PREFIX_BYTES = 64,    // "arenas[255].limits."
    DEFAULT_BYTES = 160   // a key's default as text
};

// Path, text and location of each value are appended to one buffer, each with a closing NUL. The
// pointers into it are set at the end, because the buffer moves while it grows.
struct collector {
    struct config_values *values;
    struct text_buffer texts;
    bool no_memory;
};

// A group of the file with the properties that its values share.
struct group {
    reader_node node;
    reader_node anchor; // the group itself or, if it is absent, its parent: gives the location
    const struct reader_key *keys;
    int count;
    const char *prefix; // of the values' paths
    size_t offset;      // of the group's struct in the configuration
    int arena;
};

static void collect_group(struct collector *collector, const struct group *group);

static bool has_value_arena(struct config_values *values)
{
    if (values->count < values->capacity)
        return true;
    const int capacity = values->capacity == 0 ? 64 : 2 * values->capacity;
    struct config_value *longer =
        realloc(values->values, (size_t)capacity * sizeof *values->values);
    if (longer == NULL)
        return false;
    values->values = longer;
    values->capacity = capacity;
    return true;
}

static void add_value(struct collector *collector, const struct group *group, reader_node node,
                      const struct reader_key *key)
{
    struct config_values *values = collector->values;
    if (!has_value_arena(values)) {
        collector->no_memory = true;
        return;
    }
    char location[LOCATION_BYTES], text[DEFAULT_BYTES];
    const bool is_default = node.setting == NULL;
    reader_location(is_default ? group->anchor : node, location, sizeof location);
    text_buffer_print(&collector->texts, "%s%s%c", group->prefix, key->name, '\0');
    if (is_default && reader_default(key, text, sizeof text))
        text_buffer_print(&collector->texts, "%s", text);
    else if (!is_default)
        reader_write_value(&collector->texts, node);
    text_buffer_print(&collector->texts, "%c%s%c", '\0', location, '\0');
    values->values[values->count++] = (struct config_value){
        .key = key,
        .offset = group->offset + key->offset,
        .arena = group->arena,
        .is_default = is_default,
    };
}

static void collect_arenas(struct collector *collector, const struct group *root, reader_node list,
                           const struct reader_key *key)
{
    char prefix[PREFIX_BYTES];
    struct group arena = {.prefix = prefix};
    arena.keys = key->keys->rows;
    arena.count = key->keys->count;
    for (int i = 0; i < reader_count(list); i++) {
        snprintf(prefix, sizeof prefix, "%s%s[%d].", root->prefix, key->name, i);
        arena.node = arena.anchor = reader_item(list, i);
        arena.arena = i;
        collect_group(collector, &arena);
    }
}

static void collect_inner(struct collector *collector, const struct group *outer, reader_node node,
                          const struct reader_key *key)
{
    char prefix[PREFIX_BYTES];
    struct group inner = {
        .node = node,
        .anchor = node.setting != NULL ? node : outer->anchor,
        .prefix = prefix,
        .offset = outer->offset + key->offset,
        .arena = outer->arena,
    };
    inner.keys = key->keys->rows;
    inner.count = key->keys->count;
    snprintf(prefix, sizeof prefix, "%s%s.", outer->prefix, key->name);
    collect_group(collector, &inner);
}

static void collect_group(struct collector *collector, const struct group *group)
{
    for (int i = 0; i < group->count; i++) {
        const struct reader_key *key = &group->keys[i];
        const reader_node node = reader_find(group->node, key->name);
        if (key->keys == NULL)
            add_value(collector, group, node, key);
        else if (key->kind == READER_LIST)
            collect_arenas(collector, group, node, key);
        else
            collect_inner(collector, group, node, key);
    }
}

static const char *behind(const char *text)
{
    return text + strlen(text) + 1;
}

static void find_texts(struct config_values *values)
{
    const char *at = values->texts;
    for (int i = 0; i < values->count; i++) {
        struct config_value *value = &values->values[i];
        value->path = at;
        value->name = value->arena >= 0 ? strchr(at, '.') + 1 : at;
        value->text = behind(value->path);
        value->location = behind(value->text);
        at = behind(value->location);
    }
}

struct config_values *config_values_collect(reader_node root, struct diagnostics *diagnostics)
{
    struct collector collector = {.values = calloc(1, sizeof *collector.values)};
    struct config_values *values = collector.values;
    if (values == NULL) {
        diagnostics_no_memory(diagnostics);
        return NULL;
    }
    struct group group = {.node = root, .anchor = root, .prefix = "", .arena = -1};
    group.keys = config_keys(CONFIG_ROOT, &group.count);
    collect_group(&collector, &group);
    values->texts = text_buffer_take(&collector.texts);
    if (values->texts == NULL || collector.no_memory) {
        diagnostics_no_memory(diagnostics);
        config_values_free(values);
        return NULL;
    }
    find_texts(values);
    return values;
}

void config_values_free(struct config_values *values)
{
    if (values == NULL)
        return;
    for (int i = 0; i < values->count; i++)
        free(values->values[i].own_text);
    free(values->values);
    free(values->texts);
    free(values);
}

bool config_value_set_text(struct config_value *value, const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL)
        return false;
    free(value->own_text);
    value->text = value->own_text = copy;
    return true;
}

const struct config_value *config_values_find(const struct config_values *values, int arena,
                                              const char *name)
{
    for (int i = 0; i < values->count; i++)
        if (values->values[i].arena == arena && strcmp(values->values[i].name, name) == 0)
            return &values->values[i];
    return NULL;
}

void config_values_print(const struct config_values *values, FILE *out)
{
    for (int i = 0; i < values->count; i++) {
        const struct config_value *value = &values->values[i];
        const bool is_absent = value->text[0] == '\0';
        fprintf(out, "%s =%s%s; # %s\n", value->path, is_absent ? "" : " ", value->text,
                value->is_default ? (is_absent ? "absent" : "default") : value->location);
    }
}
