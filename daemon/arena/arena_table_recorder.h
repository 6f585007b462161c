// SPDX-License-Identifier: MIT
// The recorder of a table of arenas: where its directory is, and what a reload changes of it. Main
// thread only.
#pragma once

#include "arena_table.h"
#include "reload_report.h"

#include <limits.h>

// Finds the directory of recordings: the configured one, or that in $STATE_DIRECTORY. Returns false
// if there is none.
bool recording_directory_find(const struct config *config, char path[PATH_MAX]);

// Opens the recorder of a zeroed table, before arena_table_open. Without a directory nothing is
// recorded, and the log says so. Returns false after logging the reason if the configured directory
// cannot be used.
bool arena_table_open_recorder(struct arena_table *table, const struct config *config);

// Applies a configuration that a reload is about to put in force, and reports what cannot be
// applied.
void arena_table_change_recorder(struct arena_table *table, const struct config *config,
                                 struct reload_report *report);
