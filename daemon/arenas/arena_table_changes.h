// SPDX-License-Identifier: MIT
// Changes of the running arenas by the operator: reload the configuration, add or remove an arena,
// change a map. Clients keep their connections, except those of a removed arena. Each function
// returns false and writes a reason if it changed nothing. Main thread only.
#pragma once

#include "arena_table.h"
#include "reload_report.h"

#include <stdbool.h>
#include <stddef.h>

// Reads the configuration file again and applies it; see reload_apply. Logs every line that it adds
// to the report, and notifies the service manager of the begin and the end.
bool arena_table_reload(struct arena_table *table, struct reload_report *report);

// Starts the arena of this name in the configuration file. It must not be running. No other change
// of the file is applied.
bool arena_table_add_arena(struct arena_table *table, const char *name, char *error,
                           size_t capacity);

// Disconnects every client of the running arena at this index and ends the arena.
bool arena_table_remove_arena(struct arena_table *table, int index, char *error, size_t capacity);

// Begins a new round of the running arena at this index on the map of this file, and respawns every
// player. `map_path` is relative to the configuration file. A rotation continues with the round
// after it.
bool arena_table_change_map(struct arena_table *table, int index, const char *map_path, char *error,
                            size_t capacity);
