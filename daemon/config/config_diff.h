// SPDX-License-Identifier: MIT
// Compares two loaded configurations: what changed, and what of it needs a restart.
#pragma once

#include "config.h"
#include "config_values.h"

struct config_change {
    char *text;         // "file:line: key: old -> new"
    bool needs_restart; // or it can be applied while players play
    int old_arena;      // index in the old configuration; -1: none, as of a new arena
    int new_arena;      // index in the new configuration; -1: none, as of an arena that is gone
    const struct config_value *from, *to; // both NULL where a whole arena comes or goes
};

struct config_diff {
    int count, capacity;
    int restart_count; // changes that need a restart
    bool no_memory;    // ran out; changes are missing
    struct config_change *changes;
};

// Arenas go together by their name or, where a name is found in one configuration only, by address
// and port: that arena was renamed. A map whose file has changed counts as a change of the key.
// Borrows both configurations until it is freed. NULL when memory runs out.
struct config_diff *config_diff_create(const struct config *old_config,
                                       const struct config *new_config);

// Gives a key of the new configuration its old value again, and its values the old text, so that
// the next comparison finds the same change. The key must have a size in its table. Main thread,
// while nobody else holds the new configuration. False when memory runs out.
bool config_diff_keep(const struct config_change *change, struct config *new_config,
                      const struct config *old_config);

// The index in `theirs` of what an arena of `mine` goes together with, or -1.
int config_diff_partner(const struct config *theirs, const struct config *mine, int arena);

// Takes NULL.
void config_diff_free(struct config_diff *diff);
