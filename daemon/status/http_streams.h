// SPDX-License-Identifier: MIT
// Server-Sent Event streams of arenas: sends the events of live_stream.h over HTTP connections,
// which are suspended while there is nothing to send. Main thread only.
#pragma once

#include "arena_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct MHD_Connection;
struct MHD_Response;
struct http_streams;
struct loop;

// Borrows the list. Returns NULL when memory runs out.
struct http_streams *http_streams_create(struct loop *loop, const struct arena_list *list);

// All streams must have ended. Takes NULL.
void http_streams_destroy(struct http_streams *streams);

// Opens a stream of the arena at this index of the list for one connection. Returns NULL if there
// are too many viewers or memory runs out.
struct MHD_Response *http_streams_open(struct http_streams *streams,
                                       struct MHD_Connection *connection, int arena,
                                       bool is_undelayed);

// Ends the streams of arenas that are gone. Call it after an arena is freed and before another one
// is added to the list, because the new one could have the old one's address.
void http_streams_end_stale(struct http_streams *streams);

// Ends all streams at the next run of the listener.
void http_streams_close(struct http_streams *streams);
