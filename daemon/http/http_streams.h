// SPDX-License-Identifier: MIT
// Server-Sent Event streams of arenas: sends the events of event_stream.h over HTTP connections,
// which are suspended while there is nothing to send. Main thread only.
#pragma once

#include "arena_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct MHD_Connection;
struct MHD_Response;
struct http_streams;

// Borrows the list. Returns NULL when memory runs out.
struct http_streams *http_streams_create(const struct arena_list *list);

// All streams must have ended. Takes NULL.
void http_streams_destroy(struct http_streams *streams);

// Opens a stream of the arena at this index of the list for one connection. Returns NULL if there
// are too many viewers or memory runs out.
struct MHD_Response *http_streams_open(struct http_streams *streams,
                                       struct MHD_Connection *connection, int arena,
                                       bool is_undelayed);

// Ends the streams of an arena.
void http_streams_end(struct http_streams *streams, const struct arena *arena);

// Ends all streams at the next run of the listener.
void http_streams_close(struct http_streams *streams);

// Milliseconds until http_streams_run must be called, or -1. Call http_streams_run before the
// listener runs.
int http_streams_timeout_ms(const struct http_streams *streams);
void http_streams_run(struct http_streams *streams);
