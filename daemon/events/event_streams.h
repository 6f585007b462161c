// SPDX-License-Identifier: MIT
// Streams of a journal of events, as Server-Sent Events (WHATWG HTML) or as lines of JSON: each
// client gets every event after the one that it has seen, in order. A client that reads slowly is
// served from the journal, so that it costs no memory; when that has forgotten what it lacks, it is
// sent an event "missed", and a client that reads nothing is disconnected. Main thread only.
#pragma once

#include "event_journal.h"

#include <stdbool.h>
#include <stdint.h>

#define EVENT_STREAMS_MAX 16U

struct MHD_Connection;
struct MHD_Response;
struct event_streams;
struct http_request;
struct http_services;
struct loop;

// Borrows `events`. Private members of events are shown or not (server_events.h). Returns NULL when
// memory runs out.
struct event_streams *event_streams_create(struct loop *loop, struct event_journal *events,
                                           bool shows_private);

// The streams must have ended. Takes NULL.
void event_streams_destroy(struct event_streams *streams);

// What a client asks for.
struct event_streams_request {
    uint64_t last; // the newest event that it has seen; 0 begins with the oldest one that is kept
    bool is_lines; // of JSON, each an event, or empty where there is none for a while
    bool ends;     // after the newest event
};

// Reads the path, and of the headers Last-Event-ID and Accept, or the argument "after" or "since",
// a time in s since 1970:
//   /events         the events to come, or those after the given one, for ever: as lines where
//                   application/x-ndjson is accepted, else as Server-Sent Events
//   /events.jsonl   all that are kept, or those after the given one, as lines; with "follow=1"
//                   for ever
// Returns NULL, or what is wrong, as a printable text.
const char *event_streams_read(const struct event_streams *streams,
                               struct MHD_Connection *connection, const char *path,
                               struct event_streams_request *request);

// Returns NULL if there are too many streams, or when memory runs out.
struct MHD_Response *event_streams_open(struct event_streams *streams,
                                        struct MHD_Connection *connection,
                                        const struct event_streams_request *request);

// Answers a whole request for events.
bool event_streams_answer(struct event_streams *streams, const struct http_request *step);

// Ends every stream.
void event_streams_end(struct event_streams *streams);

// Serves /events and /events.jsonl, as event_streams_create does. Returns false when memory runs
// out.
bool event_streams_serve(struct http_services *services, struct loop *loop,
                         struct event_journal *events, bool shows_private);
