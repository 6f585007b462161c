// SPDX-License-Identifier: MIT
// The HTTP server for the status, which the loop runs. No thread of its own, nothing blocks.
#pragma once

#include "http_guard.h"
#include "http_listener.h"
#include "results.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http;
struct loop;
struct recordings;
struct server_events;

struct http_def {
    struct loop *loop;
    const char *address; // dotted IPv4
    uint16_t port;       // TCP; 0 selects a free one
    const struct http_guard *guard;
    const struct status_view *view;
    struct recordings *recordings; // NULL: none
    // The schemas that are made of the rows of metrics.
    const char *status_schema, *history_schema;
};

// Listens. Copies `guard`, borrows all else. Returns NULL with the reason in `error`.
struct http *http_open(const struct http_def *def, char *error, size_t capacity);

// Ends what is sent over any listener, and closes its own: call it, then close the others, before
// http_close.
void http_end(struct http *http);

// Takes NULL.
void http_close(struct http *http);

// Who asks: anybody, or the operator, over a listener that has checked the sender.
enum http_audience { HTTP_PUBLIC, HTTP_OPERATOR, HTTP_OPERATOR_BY_TOKEN };

// Whether there is an answer to a path, and whether it is the same for everybody: a file of the
// dashboard, which asks for the token.
bool http_serves(const char *path);
bool http_serves_anyone(const char *path);

// A step of a request that another listener has received from an operator, see `answer` of struct
// http_listener_def.
bool http_answer_operator(struct http *http, const struct http_request *request,
                          enum http_audience audience);

// Serves the events of the server, which are borrowed. Returns false when memory runs out.
bool http_serve_events(struct http *http, const struct server_events *events);

// Serves the leaderboard. Borrows the results. Returns false when memory runs out.
bool http_serve_results(struct http *http, struct results *results);

uint16_t http_port(const struct http *http);

// Ends the streams of arenas that are gone, see http_streams.h.
void http_end_stale(struct http *http);
