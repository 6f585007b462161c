// SPDX-License-Identifier: MIT
// Hands what the arenas report (arena_feed.h) to those who want it: results, rooms and events. It
// is the only reader of the feeds. Main thread only.
#pragma once

#include "arena_table.h"

struct admin_logins;
struct control;
struct results;
struct rooms;

struct arena_reports {
    struct arena_table *table;   // with the results and events
    struct rooms *rooms;         // NULL: none
    struct admin_logins *logins; // NULL: none
    struct control *control;     // it keeps the bans; NULL: closed
    bool is_restarting;          // the next process continues the matches
};

// Reads what an arena has reported.
void arena_reports_read(const struct arena_reports *reports, struct arena *arena);

// Reads what an arena has reported that its worker has released: whoever is there leaves.
void arena_reports_end(const struct arena_reports *reports, struct arena *arena);

// Reads what every running arena has reported.
void arena_reports_run(const struct arena_reports *reports);
