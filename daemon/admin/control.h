// SPDX-License-Identifier: MIT
// The control socket: HTTP over a Unix socket, protected by its file permissions. raimctl's
// commands are forms, and the paths of /v1 are the API (api.h): both are HTTP, so that one socket
// with one set of permissions serves them. The main thread runs it like http.h and never blocks in
// it: a request that needs an arena's answer is suspended. Main thread only.
#pragma once

#include "admin_orders.h"
#include "api.h"
#include "arena_table.h"
#include "bans.h"
#include "config.h"
#include "http.h"

#include <stdbool.h>
#include <stddef.h>

struct control;
struct loop;

// Resolves the configured path of the socket. Returns false if the control is off.
bool control_path(const char *configured, char path[CONFIG_CONTROL_BYTES]);

// Listens, loads the bans from $STATE_DIRECTORY and publishes them to the arenas. Borrows `table`,
// `rooms` and `api`; the latter two may be NULL. Returns NULL and writes a reason into `error`.
// With `path` NULL there is no socket, but the bans and the drain.
struct control *control_open(struct loop *loop, const char *path, struct arena_table *table,
                             struct rooms *rooms, struct api *api, char *error, size_t capacity);

// Takes NULL. The arenas must have ended.
void control_close(struct control *control);

// Serves the dashboard of `http`, which is borrowed and may be NULL, with orders. Copies the names
// of hosts of `guard`; before, none is taken but addresses and names without a dot.
void control_serve_page(struct control *control, struct http *http, const struct http_guard *guard);

// Whether a path is that of an order, a query or a document of the operator.
bool control_takes(const char *path);

// A step of a request for one of these over another listener, which has checked its sender; `by`
// and `via` as of struct order_note.
bool control_answer(struct control *control, const struct http_request *step, const char *by,
                    const char *via);

// Ends what waits, on any listener: call it, then run and close the other listeners, before
// control_close.
void control_end(struct control *control);

// The orders, which whoever else takes orders gives to, too.
struct admin_orders *control_orders(const struct control *control);

// Call it for a released arena before it is destroyed: requests that wait for it are answered as
// not done, and it counts as reading no ban list.
void control_forget(struct control *control, struct arena *arena);

// Bans a network; see admin_commands_ban.
const char *control_ban(struct control *control, const struct ban *ban);

// Orders a drain; see admin_commands_drain.
void control_drain(struct control *control, uint32_t seconds);

// Whether a drain was ordered.
bool control_is_draining(const struct control *control);

// Whether a drain was ordered, is complete, and every request has been answered.
bool control_is_drained(const struct control *control);
