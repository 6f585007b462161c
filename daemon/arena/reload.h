// SPDX-License-Identifier: MIT
// Makes a running table what the configuration file says now: all of it that can change while
// players play, or, where the file has any mistake, nothing.
#pragma once

#include "arena_table.h"
#include "config.h"
#include "reload_report.h"

#include <stdbool.h>

// Loads the file of the table and applies it; without a file there is nothing to load. Where the
// file is good, the table has the new configuration, with the old values of what needs a restart.
// Adds what changed, as "file:line: key: old -> new", or the mistakes, of which a lack of memory is
// one; then it returns false and everything is as before.
bool reload_apply(struct arena_table *table, struct reload_report *report);

// Loads the file; NULL with the mistakes in the report.
struct config *reload_load(const char *path, struct reload_report *report);

// Logs an report, one line each.
void reload_log(const struct reload_report *report);
