// SPDX-License-Identifier: MIT
// The running server: every arena and worker of a configuration, and the status over HTTP. All of
// it is called by the main thread.
#pragma once

#include "config.h"

#include <stdbool.h>
#include <stdint.h>

struct server;

// Opens every port, then starts the workers. On failure logs why, leaves nothing open and returns
// NULL. Borrows the configuration.
struct server *server_start(const struct config *config);

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

// Whether every arena has ticked since the call before.
bool server_ticks_advance(struct server *server);

void server_count_players(struct server *server, uint32_t *players, uint32_t *bots);
