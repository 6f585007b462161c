// SPDX-License-Identifier: MIT
// Reloading of the configuration: applies every change of the file that is possible while matches
// run, or, if the file has any mistake, none. Main thread only.
#pragma once

#include "arena_table.h"
#include "config.h"
#include "reload_report.h"

#include <stdbool.h>

// Loads the table's file and applies it. On success the table has the new configuration, but keeps
// the old value of every key that needs a restart, and `report` gets each change, as "file:line:
// key: old -> new". On failure returns false and changes nothing, and `report` gets the mistakes:
// no file, no memory, or an error in the file.
bool reload_apply(struct arena_table *table, struct reload_report *report);

// Loads a file. Returns NULL and adds the mistakes to the report if it is refused.
struct config *reload_load(const char *path, struct reload_report *report);

// Logs a report, one log line per line and a summary.
void reload_log(const struct reload_report *report);
