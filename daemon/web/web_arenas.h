// SPDX-License-Identifier: MIT
// The arenas that the gateway serves, and the sessions that carry their datagrams: one UDP socket
// for each session, so that an arena knows players by their ports. The arenas are asked for their
// names and players (A2S_INFO) only while somebody asks the gateway. Main thread only.
#pragma once

#include "web_config.h"
#include "web_metrics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_writer;
struct loop;
struct quic;
struct quic_connection;
struct web_arenas;

// Resolves the targets' names and opens no socket yet. Borrows the configuration and the counts.
// Returns NULL with a reason.
struct web_arenas *web_arenas_create(struct loop *loop, const struct web_config *config,
                                     struct web_counts *counts, char *problem, size_t capacity);

// All sessions have ended. Takes NULL.
void web_arenas_destroy(struct web_arenas *arenas);

// The server whose connections the sessions are; it outlives them.
void web_arenas_attach(struct web_arenas *arenas, struct quic *quic);

// The callbacks of struct quic_def. The path is /arena/HOST:PORT.
int web_arenas_open(void *arenas, struct quic_connection *connection, const char *path,
                    void **session);
void web_arenas_receive(void *session, const uint8_t *bytes, size_t size);
void web_arenas_close(void *session);

// Writes the array "servers", with what is known of each, and keeps asking them for a while.
void web_arenas_write(struct web_arenas *arenas, struct json_writer *json);
