// SPDX-License-Identifier: MIT
// Every value of a loaded configuration as text, with the place that it comes from.
#pragma once

#include "reader.h"

struct config_value {
    const struct reader_key *key;
    int arena;        // its index in `arenas`, or -1 for a key of the file's own
    char *path;       // "arenas[0].rules.bullet_speed"
    const char *name; // the path within its arena, "rules.bullet_speed"; points into `path`
    char *text;       // as a file would have it; empty for an optional key that is absent
    char *place;      // "file:line" of the value or, of a default, of the group that lacks it
    bool is_default;
};

struct config_values {
    int count, capacity;
    struct config_value *values; // in the order of the tables, the arenas in that of the file
};

// Walks a file without mistakes by the tables of keys.
struct config_values *config_values_collect(reader_node root);

// Takes NULL.
void config_values_free(struct config_values *values);

// The value of that name in an arena (-1: of the file's own), or NULL.
const struct config_value *config_values_find(const struct config_values *values, int arena,
                                              const char *name);

// Writes "path = text # source" for each value: of `raimd -T`.
void config_values_print(const struct config_values *values, FILE *out);
