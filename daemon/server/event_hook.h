// SPDX-License-Identifier: MIT
// The hook: hands each event of the server to an URL or a program of the operator, one after
// another and at least once. The journal of the events is its queue, which survives a restart and
// drops the oldest ones; the file $STATE_DIRECTORY/hook.cursor has the number of the newest event
// that is done. An attempt that fails is repeated after a second, then after twice as long, up to
// five minutes: for an URL until the event is too old, for a command at most five times. An answer
// of HTTP that says that the request is wrong drops the event.
// Nothing here waits. Thread rule: main thread only.
#pragma once

#include "arena_list.h"
#include "config.h"
#include "server_events.h"
#include "server_processes.h"

struct event_hook;
struct store;

struct event_hook_def {
    struct server_events *events;             // borrowed
    const struct server_processes *processes; // borrowed
    struct arena_list_hook *counts;           // borrowed
    struct store *store;                      // borrowed; keeps the cursor
};

// Begins where the last process stopped, or with the next event. Returns NULL when memory runs out.
struct event_hook *event_hook_open(const struct event_hook_def *def);

// Takes NULL. What is not done is done by the next process.
void event_hook_close(struct event_hook *hook);

// Hands over the next event, if one is due, as the configuration now in force says.
void event_hook_run(struct event_hook *hook, const struct config *config, uint64_t now_ms);

// Milliseconds until event_hook_run must be called, or -1.
int event_hook_timeout_ms(const struct event_hook *hook, uint64_t now_ms);

// Hands over what is left at the end of raimd, for at most a second.
void event_hook_finish(struct event_hook *hook, const struct config *config);
