// SPDX-License-Identifier: MIT
// The running server: every arena and worker of a configuration, and the status over HTTP. All of
// it is called by the main thread.
#pragma once

#include "config.h"
#include "reload_report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server;

// Opens every port, then starts the workers. On failure logs why, leaves nothing open and returns
// NULL. Takes the configuration in any case. Borrows the path of its file, NULL for none.
struct server *server_start(struct config *config, const char *path);

// What ends is only this process: every arena is kept for the next one, where there is a directory
// for that. To be called before server_stop.
void server_keep(struct server *server);

// Tells every client goodbye, which takes at most half a second, and frees everything.
void server_stop(struct server *server);

// The descriptors that server_serve wants to be called for when one is readable, or -1, of the
// status and of the control; and the milliseconds after which it wants to be called anyway, or -1.
int server_descriptor(const struct server *server);
int server_control_descriptor(const struct server *server);
int server_timeout_ms(const struct server *server);

// Answers status requests and does what the operator asks for.
void server_serve(struct server *server);

// Whether the operator asked for the end, and it is time.
bool server_is_drained(const struct server *server);

// Whether every arena has ticked since the call before; those that are new need not have.
bool server_ticks_advance(struct server *server);

// Tells the log what the arenas refused since the last time, where it was much; to be called every
// REJECTION_LOG_EVERY_MS.
void server_tell_floods(struct server *server);

// Logs which arenas no longer keep up, and which do again; to be called every OVERLOAD_EVERY_MS.
void server_tell_overloads(struct server *server);

void server_count_players(struct server *server, uint32_t *players, uint32_t *bots);

// --- What changes while it runs. Nobody who plays loses a connection by it, but those of an arena
// that goes; where one of these fails, it writes why, and nothing has changed. ---

// Reads the configuration file again and applies what can be applied; see reload_apply. Logs
// what it adds to the outcome. The service manager sees it begin and end.
bool server_reload(struct server *server, struct reload_report *outcome);

// Adds the arena that the configuration file has under this name, and nothing else of the file.
bool server_add_arena(struct server *server, const char *name, char *error, size_t capacity);

// Ends the arena of this name: everybody there is told goodbye.
bool server_remove_arena(struct server *server, const char *name, char *error, size_t capacity);

// Everybody in the arena of this name rises anew, in a new round, on the map of this file, whose
// path is relative to the configuration file. A rotation goes on with the next round.
bool server_change_map(struct server *server, const char *name, const char *map_path, char *error,
                       size_t capacity);
