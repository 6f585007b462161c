// SPDX-License-Identifier: MIT
// The ban list that raimd fetches by an URL, now and then, after each reload and at the start. A
// list that cannot be read whole, or that cannot be fetched, leaves the one before in force. The
// last good one is kept in $STATE_DIRECTORY, for the next start. Lists are read in a thread of
// their own. Main thread only.
#pragma once

#include "arena_table.h"
#include "ban_store.h"
#include "metric.h"

#include <stdint.h>

extern const struct metric_table ban_source_metrics; // of a struct ban_source

struct ban_source;
struct loop;

// Puts the kept list in force. Borrows both. NULL where no URL is configured, or when memory runs
// out. Close takes NULL; the arenas must have ended.
struct ban_source *ban_source_open(struct loop *loop, struct arena_table *table,
                                   struct ban_store *book);
void ban_source_close(struct ban_source *source);
