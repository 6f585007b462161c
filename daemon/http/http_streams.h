// SPDX-License-Identifier: MIT
// The event streams of arenas: what event_stream.h renders, sent over connections that sleep while
// there is nothing to send. Main thread only.
#pragma once

#include "arena_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct MHD_Connection;
struct MHD_Response;
struct http_streams;

// Borrows the source. NULL when memory runs out.
struct http_streams *http_streams_create(const struct arena_list *list);

// Every stream must have ended. Takes NULL.
void http_streams_destroy(struct http_streams *streams);

// The stream of the arena at this index of the list, for one connection. NULL where there are too
// many, or when memory runs out.
struct MHD_Response *http_streams_open(struct http_streams *streams,
                                       struct MHD_Connection *connection, int arena,
                                       bool is_undelayed);

// Ends the streams of an arena.
void http_streams_end(struct http_streams *streams, const struct arena *arena);

// Ends all streams, as soon as the listener runs.
void http_streams_close(struct http_streams *streams);

// Milliseconds until http_streams_run wants to be called, or -1. Call it before the listener runs.
int http_streams_timeout_ms(const struct http_streams *streams);
void http_streams_run(struct http_streams *streams);
