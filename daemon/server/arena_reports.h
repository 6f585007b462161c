// SPDX-License-Identifier: MIT
// Passes the events of arenas (event_queue.h) on to results, arenas on demand and the event journal
// when a worker wakes the main thread, and frees the arenas that the workers have released. It is
// the only reader of the event queues. Main thread only.
#pragma once

#include "arena_table.h"

struct admin_logins;
struct control;
struct http;
struct loop;
struct loop_source;
struct results;
struct on_demand;

struct arena_reports {
    struct arena_table *table;   // with the results and events
    struct control *control;     // it keeps the bans; NULL: closed
    struct http *http;           // NULL: off
    struct on_demand *on_demand; // NULL: none
    struct admin_logins *logins; // NULL: none
    bool is_restarting;          // the next process continues the matches

    struct loop_source *source, *trim; // arena_reports_start sets these
    bool is_trim_due;
};

// Begins to read, once the other members are set. Returns false when memory runs out.
bool arena_reports_start(struct arena_reports *reports, struct loop *loop);

// Reads no more, and forgets the listeners, which are about to close. Does nothing if it was not
// started.
void arena_reports_stop(struct arena_reports *reports);

// Reads what all arenas have reported whose workers have ended: their remaining players leave.
void arena_reports_finish(const struct arena_reports *reports);
