// SPDX-License-Identifier: MIT
// Collects the value of every key by walking the key tables and the file in parallel.
#define _GNU_SOURCE
#include "config_values.h"

#include "config_keys.h"
#include "text_buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool has_room(struct config_values *values)
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
    if (!has_room(values)) {
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
