// SPDX-License-Identifier: MIT
// Makes a running fleet what the configuration file says now: all of it that can change while
// players play, or, where the file has any mistake, nothing.
#pragma once

#include "arena_table.h"
#include "config.h"
#include "reload_report.h"

#include <stdbool.h>

// Loads the file and applies it; of a path that is NULL there is none. `*config` is the
// configuration that runs; where the file is good, it becomes the new one, with the old values of
// what needs a restart. Adds what changed, as "file:line: key: old -> new", or the mistakes, of
// which a lack of memory is one; then it returns false and all is as before. `leave` is called with
// each arena that is about to leave.
bool reload_apply(struct arena_table *fleet, struct config **config, const char *path,
                  struct reload_report *outcome, void (*leave)(void *context, struct arena *arena),
                  void *context);

// Loads the file; NULL with the mistakes in the outcome.
struct config *reload_load(const char *path, struct reload_report *outcome);

// Logs an outcome, one line each.
void reload_log(const struct reload_report *outcome);
