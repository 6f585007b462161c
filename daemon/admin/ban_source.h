// SPDX-License-Identifier: MIT
// The ban list that raimd fetches by an URL, now and then, after each reload and at the start. A
// list that cannot be read whole, or that cannot be fetched, leaves the one before in force. The
// last good one is kept in $STATE_DIRECTORY, for the next start. Lists are read in a thread of
// their own. Main thread only.
#pragma once

#include "arena_table.h"
#include "ban_book.h"

#include <stdint.h>

struct ban_source;

// Puts the kept list in force. Borrows both. NULL where no URL is configured, or when memory runs
// out. Close takes NULL; the arenas must have ended.
struct ban_source *ban_source_open(struct arena_table *table, struct ban_book *book);
void ban_source_close(struct ban_source *source);

// Fetches the list if it is due, and puts one in force that has been read. Takes NULL, and so does
// ban_source_timeout_ms, which returns the milliseconds until it must be called, or -1.
void ban_source_run(struct ban_source *source);
int ban_source_timeout_ms(const struct ban_source *source);
