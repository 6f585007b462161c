// SPDX-License-Identifier: MIT
// Difference of two loaded configurations: the changed keys, and which of them need a restart.
#pragma once

#include "config.h"
#include "config_values.h"

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
