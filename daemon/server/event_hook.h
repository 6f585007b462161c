// SPDX-License-Identifier: MIT
// The hook: hands each event of the server to an URL or a program of the operator, one after
// another and at least once. The journal of the events is its queue, which survives a restart and
// drops the oldest ones; the file $STATE_DIRECTORY/hook.cursor has the number of the newest event
// that is done. An attempt that fails is repeated after a second, then after twice as long, up to
// five minutes: for an URL until the event is too old, for a command at most five times. An answer
// of HTTP that says that the request is wrong drops the event.
// Nothing here waits. Thread rule: main thread only.
#pragma once

#include "arena_table.h"
#include "metric.h"
#include "server_processes.h"

extern const struct metric_table event_hook_metrics; // of a struct event_hook

struct event_hook;
struct loop;

// Begins where the last process stopped, or with the next event. Borrows everything; the table has
// its store, which keeps the cursor, its events and the configuration in force. Returns NULL when
// memory runs out.
struct event_hook *event_hook_open(struct loop *loop, struct arena_table *table,
                                   const struct server_processes *processes);

// Takes NULL. The next process continues with the events that are left.
void event_hook_close(struct event_hook *hook);

// Hands over the remaining events when raimd ends, for at most a second. Takes NULL.
void event_hook_finish(struct event_hook *hook);
