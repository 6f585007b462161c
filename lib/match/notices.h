// SPDX-License-Identifier: MIT
// Queues of notices, which are lines for one client alone, and of the lines that admins type for
// the server.
#pragma once

#include "match.h"
#include "message.h"

struct raim_connection;
struct raim_match;

// Lines that wait to be sent to a client. Unused lines are not touched, so they take no memory.
#define RAIM_NOTICES 16
struct raim_notice_queue {
    uint32_t first;
    struct raim_notice lines[RAIM_NOTICES];
};

// Lines of players that wait for raim_match_next_line.
#define RAIM_MATCH_LINES 8
struct raim_match_lines {
    uint32_t first, count;
    struct raim_match_line waiting[RAIM_MATCH_LINES];
};

// Queues a line for a client alone. Does nothing if the client reads no NOTICE, the queue is full
// or the text cannot be cleaned.
void raim_match_notice(struct raim_match *match, struct raim_connection *client, const char *text);

// Writes the oldest line of a client's queue, at most one in a tick. Returns its size; 0: none.
size_t raim_notices_write(struct raim_match *match, struct raim_connection *client, uint8_t *bytes,
                          size_t capacity);

// Copies the queue of a connection into the succeeding match.
void raim_notices_carry(struct raim_match *next, const struct raim_match *before, uint32_t handle);

// Queues a player's line for raim_match_next_line. Returns false when the queue is full. Half of it
// is reserved for admins who are logged in.
bool raim_notices_add_line(struct raim_match *match, const struct raim_connection *client,
                           const char *text);
