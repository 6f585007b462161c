// SPDX-License-Identifier: MIT
// The running server: every arena and worker of a configuration, the HTTP status and the control
// socket. Main thread only.
#pragma once

#include "config.h"
#include "reload_report.h"

#include <stdbool.h>

struct loop;
struct server;

// Opens every port, then starts the workers, and registers all with the loop. On failure logs the
// reason, closes everything and returns NULL. Takes `config` in either case. Borrows the loop and
// `path`, of the configuration's file; NULL for none.
struct server *server_start(struct loop *loop, struct config *config, const char *path);

// Makes server_stop keep a checkpoint of every arena for the next process, where $RUNTIME_DIRECTORY
// is set.
void server_keep_checkpoints(struct server *server);

// Disconnects every client, which takes at most half a second, and frees everything.
void server_stop(struct server *server);

// Reads the configuration file again; see arena_table_reload.
bool server_reload(struct server *server, struct reload_report *report);

// Begins to end the server because of a signal: under an orchestrator it drains first. Returns
// false if it is to be stopped at once.
bool server_drain(struct server *server);

// Whether a drain was ordered, by the operator or the orchestrator, and is complete.
bool server_is_drained(const struct server *server);
