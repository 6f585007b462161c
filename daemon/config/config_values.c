// SPDX-License-Identifier: MIT
// Walks the tables of keys and the file beside each other.
#define _GNU_SOURCE
#include "config_values.h"

#include "config_keys.h"
#include "xalloc.h"

#include <stdarg.h>
#include <string.h>

enum { PLACE_BYTES = 512 }; // longer paths are cut in messages

static void collect_group(struct config_values *values, reader_node group,
                          const struct reader_key *keys, int count, const char *prefix, int arena);

__attribute__((format(printf, 1, 2))) static char *print(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        memory_end();
    va_end(arguments);
    return text;
}

static const char *name_in_arena(const char *path, int arena)
{
    return arena >= 0 ? strchr(path, '.') + 1 : path;
}

static void add_value(struct config_values *values, reader_node group, reader_node node,
                      const struct reader_key *key, const char *prefix, int arena)
{
    if (values->count == values->capacity) {
        values->capacity = values->capacity == 0 ? 64 : 2 * values->capacity;
        values->values =
            memory_must(realloc(values->values, (size_t)values->capacity * sizeof *values->values));
    }
    char place[PLACE_BYTES];
    const bool is_default = node.setting == NULL;
    reader_location(is_default ? group : node, place, sizeof place);
    char *text = is_default ? reader_default(key) : reader_value(node);
    char *path = print("%s%s", prefix, key->name);
    values->values[values->count++] = (struct config_value){
        .key = key,
        .arena = arena,
        .path = path,
        .name = name_in_arena(path, arena),
        .text = text != NULL ? text : print("%s", ""),
        .place = print("%s", place),
        .is_default = is_default,
    };
}

static void collect_items(struct config_values *values, reader_node list,
                          const struct reader_key *key, const char *prefix, int arena)
{
    int count;
    const struct reader_key *keys = key->keys(&count);
    const bool is_arenas = arena < 0 && strcmp(key->name, "arenas") == 0;
    for (int i = 0; i < reader_count(list); i++) {
        char *inner = print("%s%s[%d].", prefix, key->name, i);
        collect_group(values, reader_item(list, i), keys, count, inner, is_arenas ? i : arena);
        free(inner);
    }
}

// A group that is absent has no place: its keys' is that of the group around it.
static void collect_inner(struct config_values *values, reader_node group, reader_node node,
                          const struct reader_key *key, const char *prefix, int arena)
{
    int count;
    const struct reader_key *keys = key->keys(&count);
    char *inner = print("%s%s.", prefix, key->name);
    const int first = values->count;
    collect_group(values, node, keys, count, inner, arena);
    for (int i = first; node.setting == NULL && i < values->count; i++) {
        char place[PLACE_BYTES];
        reader_location(group, place, sizeof place);
        free(values->values[i].place);
        values->values[i].place = print("%s", place);
    }
    free(inner);
}

static void collect_group(struct config_values *values, reader_node group,
                          const struct reader_key *keys, int count, const char *prefix, int arena)
{
    for (int i = 0; i < count; i++) {
        const struct reader_key *key = &keys[i];
        const reader_node node = reader_find(group, key->name);
        if (key->keys == NULL)
            add_value(values, group, node, key, prefix, arena);
        else if (key->kind == READER_LIST)
            collect_items(values, node, key, prefix, arena);
        else
            collect_inner(values, group, node, key, prefix, arena);
    }
}

struct config_values *config_values_collect(reader_node root)
{
    struct config_values *values = memory_must(calloc(1, sizeof *values));
    int count;
    const struct reader_key *keys = config_keys(CONFIG_ROOT, &count);
    collect_group(values, root, keys, count, "", -1);
    return values;
}

void config_values_free(struct config_values *values)
{
    if (values == NULL)
        return;
    for (int i = 0; i < values->count; i++) {
        free(values->values[i].path);
        free(values->values[i].text);
        free(values->values[i].place);
    }
    free(values->values);
    free(values);
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
                value->is_default ? (is_absent ? "absent" : "default") : value->place);
    }
}
