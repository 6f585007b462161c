// SPDX-License-Identifier: MIT
// The running server: every arena and worker of a configuration, and the status over HTTP. All of
// it is called by the main thread.
#pragma once

#include "config.h"
#include "reload_report.h"

#include <stdbool.h>

struct server;

// Opens every port, then starts the workers. On failure logs why, leaves nothing open and returns
// NULL. Takes the configuration in any case. Borrows the path of its file, NULL for none.
struct server *server_start(struct config *config, const char *path);

// What ends is only this process: every arena is kept for the next one, where there is a directory
// for that. To be called before server_stop.
void server_keep_checkpoints(struct server *server);

// Tells every client goodbye, which takes at most half a second, and frees everything.
void server_stop(struct server *server);

// What server_serve wants to be called for when one is readable: the workers, the status and the
// control, -1 where it is off; and the milliseconds after which it wants to be called anyway.
enum { SERVER_DESCRIPTORS = 3 };
void server_descriptors(const struct server *server, int descriptors[SERVER_DESCRIPTORS]);
int server_timeout_ms(const struct server *server);

// Takes what the workers have done, answers status requests, does what the operator asks for and
// what is due by the clock.
void server_serve(struct server *server);

// Reads the configuration file again; see arena_table_reload.
bool server_reload(struct server *server, struct reload_report *report);

// Whether the operator asked for the end, and it is time.
bool server_is_drained(const struct server *server);
