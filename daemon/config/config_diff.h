// SPDX-License-Identifier: MIT
// Difference of two loaded configurations: the changed keys, and which of them need a restart.
#pragma once

#include "config.h"
#include "reader.h"

#include <stdio.h>

// The effective value of every configuration key as text, with the location that defines it.

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

struct config_change {
    char *text;         // "file:line: key: old -> new"
    bool needs_restart; // false: a reload can apply it
    int old_arena;      // index in the old configuration; -1: the arena is new
    int new_arena;      // index in the new configuration; -1: the arena was removed
    const struct config_value *from, *to; // both NULL when an arena is added or removed
};

struct config_diff {
    int count, capacity;
    int restart_count; // changes that need a restart
    bool no_memory;    // memory ran out; changes are missing
    struct config_change *changes;
};

// Compares two configurations. Arenas are paired by name or, if a name exists in one configuration
// only, by address and port: such an arena was renamed. A map file with changed content counts as a
// change of its key. Borrows both configurations until the difference is freed. Returns NULL when
// memory runs out.
struct config_diff *config_diff_create(const struct config *old_config,
                                       const struct config *new_config);

// Restores the old value and text of a changed key in the new configuration, so that the next
// comparison reports the change again. The key must have a size in its table. Main thread, while no
// other reference to the new configuration exists. Returns false when memory runs out.
bool config_diff_restore(const struct config_change *change, struct config *new_config,
                         const struct config *old_config);

// The index in `theirs` of the arena that is paired with arena `arena` of `mine`, or -1.
int config_diff_partner(const struct config *theirs, const struct config *mine, int arena);

// Frees a difference. Takes NULL.
void config_diff_free(struct config_diff *diff);
