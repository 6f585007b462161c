// SPDX-License-Identifier: MIT
// Compares two loaded configurations: what changed, and what of it needs a restart.
#pragma once

#include "config.h"

struct config_change {
    char *text;         // "file:line: key: old -> new"
    bool needs_restart; // or it can be applied while players play
    int old_arena;      // index in the old configuration; -1: none, as of a new arena
    int new_arena;      // index in the new configuration; -1: none, as of an arena that is gone
    const struct reader_key *key; // NULL where a whole arena comes or goes
};

struct config_diff {
    int count, capacity;
    int restart_count; // changes that need a restart
    struct config_change *changes;
};

// Arenas go together by their name or, where a name is found in one configuration only, by address
// and port: that arena was renamed. A map whose file has changed counts as a change of the key.
// Both configurations come from files. Borrows them for the call.
struct config_diff *config_diff_create(const struct config *old_config,
                                       const struct config *new_config);

// The index in `theirs` of what an arena of `mine` goes together with, or -1.
int config_diff_partner(const struct config *theirs, const struct config *mine, int arena);

// Takes NULL.
void config_diff_free(struct config_diff *diff);
