// SPDX-License-Identifier: MIT
// Streams of the events of rooms (Server-Sent Events, WHATWG HTML): each client gets every event
// behind the one that it has seen, in order. A client that reads slowly is served from the log of
// events, so that it costs no memory; when the log has forgotten what it lacks, it is sent an event
// "missed", and a client that reads nothing is disconnected. Main thread only.
#pragma once

#include "event_journal.h"

#include <stdbool.h>
#include <stdint.h>

#define EVENT_FEED_MAX_STREAMS 16U

struct MHD_Connection;
struct MHD_Response;
struct event_feed;

// Borrows `events`. Returns NULL when memory runs out.
struct event_feed *event_feed_create(const struct event_journal *events);

// The streams must have ended.
void event_feed_destroy(struct event_feed *feed);

// Reads the header Last-Event-ID; NULL, where it is absent, gives the newest event. Returns false
// for a text that is no event's number.
bool event_feed_read_id(const struct event_feed *feed, const char *header, uint64_t *last);

// A response with the events behind `last`; 0 begins with the oldest one that is kept. Returns NULL
// if there are too many streams, or when memory runs out.
struct MHD_Response *event_feed_open(struct event_feed *feed, struct MHD_Connection *connection,
                                     uint64_t last);

// Wakes the streams that have something to send.
void event_feed_run(struct event_feed *feed);

// Milliseconds until event_feed_run must be called, or -1.
int event_feed_timeout_ms(const struct event_feed *feed);

// Ends every stream.
void event_feed_end(struct event_feed *feed);
