// SPDX-License-Identifier: MIT
// The operator's side of the daemon: HTTP on a Unix socket, whose permissions are its password. The
// main thread runs it like http.h: nothing blocks, for what takes an arena's answer a request waits
// by itself.
#pragma once

#include "arena_table.h"
#include "config.h"

#include <stdbool.h>
#include <stddef.h>

struct control;

// Where the socket is to be, by the configuration's word for it; false: nowhere.
bool control_path(const char *configured, char path[CONFIG_CONTROL_BYTES]);

// Listens, and takes the bans from $STATE_DIRECTORY, where there is one, to the arenas. Borrows
// `table`. Returns NULL and writes a reason into `error`.
struct control *control_open(const char *path, struct arena_table *table, char *error,
                             size_t capacity);

// Takes NULL. The arenas must not run any more.
void control_close(struct control *control);

int control_descriptor(const struct control *control);

// Milliseconds until control_run wants to be called whatever happens, or -1 for no such need.
int control_timeout_ms(const struct control *control);
void control_run(struct control *control);

// An arena that runs no more is about to be destroyed: admin that wait for it are told that they
// were not done, and it reads no bans.
void control_forget(struct control *control, struct arena *arena);

// Whether a drain was asked for, and nobody plays any more or its time is up, and every request
// that has come is answered.
bool control_is_drained(const struct control *control);
