// SPDX-License-Identifier: MIT
// The effective value of every configuration key as text, with the location that defines it.
#pragma once

#include "reader.h"

#include <stdio.h>

struct config_value {
    const struct reader_key *key;
    size_t offset;        // of the field in struct config or struct config_arena
    int arena;            // index in `arenas`, or -1 for a key of the root
    const char *path;     // "arenas[0].rules.bullet_speed"
    const char *name;     // path within the arena, "rules.bullet_speed"
    const char *text;     // in the file's syntax; empty for an optional key that is absent
    const char *location; // "file:line" of the value; of a default, of the group that omits the key
    char *own_text;       // owned; replaces the text from the file, or NULL
    bool is_default;
};

struct config_values {
    int count, capacity;
    struct config_value *values; // in table order; arenas in file order
    char *texts;                 // buffer that the values point into
};

// Collects the values of a file without mistakes. Returns NULL after reporting it when memory runs
// out.
struct config_values *config_values_collect(reader_node root, struct diagnostics *diagnostics);

// Frees the values. Takes NULL.
void config_values_free(struct config_values *values);

// Replaces the text of a value; copies it. Returns false when memory runs out.
bool config_value_set_text(struct config_value *value, const char *text);

// The value of a key in an arena (-1: in the root), or NULL.
const struct config_value *config_values_find(const struct config_values *values, int arena,
                                              const char *name);

// Writes "path = text; # location" for each value, as `raimd -T` prints it.
void config_values_print(const struct config_values *values, FILE *out);
