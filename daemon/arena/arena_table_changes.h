// SPDX-License-Identifier: MIT
// Changes the arenas while the server runs, as the operator asks: reload, add, remove, another map.
// Clients keep their connections, except those of an arena that ends. Each function returns false
// where nothing was done, and writes the reason. Main thread only.
#pragma once

#include "arena_table.h"
#include "reload_report.h"

#include <stdbool.h>
#include <stddef.h>

// Reads the configuration file again and applies what can be applied; see reload_apply. Logs what
// it adds to the report. The service manager sees it begin and end.
bool arena_table_reload(struct arena_table *table, struct reload_report *report);

// Starts the arena that the configuration file has under this name; it must not run. Nothing else
// of the file is applied.
bool arena_table_add_arena(struct arena_table *table, const char *name, char *error,
                           size_t capacity);

// Says goodbye to every client of the running arena at this index and ends it.
bool arena_table_remove_arena(struct arena_table *table, int index, char *error, size_t capacity);

// Respawns every player of the running arena at this index, in a new round on the map of this file,
// whose path is relative to the configuration file. A rotation goes on with the next round.
bool arena_table_change_map(struct arena_table *table, int index, const char *map_path, char *error,
                            size_t capacity);
