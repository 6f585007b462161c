// SPDX-License-Identifier: MIT
// Fetches a ban list by an URL: at the start, after each reload, and at an interval. If it cannot
// be fetched or read as a whole, the previous list stays in force. The last good list is kept in
// $STATE_DIRECTORY for the next start. A thread of its own reads lists. Main thread only.
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
