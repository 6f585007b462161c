// SPDX-License-Identifier: MIT
// Every value of a loaded configuration as text, with the place that it comes from.
#pragma once

#include "reader.h"

#include <stdio.h>

struct config_value {
    const struct reader_key *key;
    size_t offset;        // of the field in struct config or struct config_arena
    int arena;            // its index in `arenas`, or -1 for a key of the file's own
    const char *path;     // "arenas[0].rules.bullet_speed"
    const char *name;     // the path within its arena, "rules.bullet_speed"
    const char *text;     // as a file would have it; empty for an optional key that is absent
    const char *location; // "file:line" of the value or, of a default, of the group that lacks it
    char *own_text;       // owned; the text, where it is not the file's, or NULL
    bool is_default;
};

struct config_values {
    int count, capacity;
    struct config_value *values; // in the order of the tables, the arenas in that of the file
    char *texts;                 // that the values point into
};

// Walks a file without mistakes by the tables of keys. NULL, and reported, when memory runs out.
struct config_values *config_values_collect(reader_node root, struct diagnostics *diagnostics);

// Takes NULL.
void config_values_free(struct config_values *values);

// Gives a value another text. False when memory runs out.
bool config_value_set_text(struct config_value *value, const char *text);

// The value of that name in an arena (-1: of the file's own), or NULL.
const struct config_value *config_values_find(const struct config_values *values, int arena,
                                              const char *name);

// Writes "path = text # source" for each value: of `raimd -T`.
void config_values_print(const struct config_values *values, FILE *out);
