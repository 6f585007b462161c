// SPDX-License-Identifier: MIT
// The control socket: HTTP over a Unix socket, protected by its file permissions. It serves the API
// of commands (api.h), the documents of the operator, and the dashboard. The main thread runs it
// like http.h and never blocks in it: a request that needs an arena's answer is suspended. Main
// thread only.
#pragma once

#include "api.h"
#include "arena_table.h"
#include "bans.h"
#include "commands.h"
#include "config.h"
#include "http.h"

#include <stdbool.h>
#include <stddef.h>

struct control;
struct loop;

// Resolves the configured path of the socket. Returns false if the control is off.
bool control_path(const char *configured, char path[CONFIG_CONTROL_BYTES]);

// Listens, loads the bans from $STATE_DIRECTORY and publishes them to the arenas. Borrows `table`,
// and `rooms`, which may be NULL. Returns NULL and writes a reason into `error`. With `path` NULL
// there is no socket, but the commands and the API.
struct control *control_open(struct loop *loop, const char *path, struct arena_table *table,
                             struct rooms *rooms, char *error, size_t capacity);

// Takes NULL. The arenas must have ended.
void control_close(struct control *control);

// Serves the dashboard of `http`, which is borrowed and may be NULL, with commands. Copies the
// names of hosts of `guard`; before, none is taken but addresses and names without a dot.
void control_serve_page(struct control *control, struct http *http, const struct http_guard *guard);

// Whether a path is that of a document of the operator: results or events.
bool control_takes(const char *path);

// A step of a request for one of these over another listener, which has checked its sender.
bool control_answer(struct control *control, const struct http_request *step);

// Ends what waits, on any listener: call it, then run and close the other listeners, before
// control_close.
void control_end(struct control *control);

// What executes commands, whoever gives them, and serves them to other listeners.
struct commands *control_commands(const struct control *control);
struct api *control_api(const struct control *control);

// Call it for a released arena before it is destroyed: requests that wait for it are answered as
// not done, and it counts as reading no ban list.
void control_forget(struct control *control, struct arena *arena);

// Bans a network; see commands_ban.
const char *control_ban(struct control *control, const struct ban *ban);

// Begins a drain; see commands_drain.
void control_drain(struct control *control, uint32_t seconds);

// Whether a drain has begun.
bool control_is_draining(const struct control *control);

// Whether a drain has begun, is complete, and every request has been answered.
bool control_is_drained(const struct control *control);
