// SPDX-License-Identifier: MIT
// The HTTP server for the status, which the loop runs. It has no thread, and nothing blocks.
#pragma once

#include "http_access.h"
#include "http_listener.h"
#include "http_services.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http;
struct loop;

struct http_def {
    struct loop *loop;
    const char *address; // dotted IPv4
    uint16_t port;       // TCP; 0 selects a free one
    const struct http_access *guard;
    const struct status_view *view;
    // The schemas that are made of the rows of metrics.
    const char *status_schema, *history_schema;
};

// Listens. Copies `guard`, borrows all else. Returns NULL with the reason in `error`.
struct http *http_open(const struct http_def *def, char *error, size_t capacity);

// Ends what is sent over any listener, and closes its own: call it, then close the others, before
// http_close. Takes NULL.
void http_end(struct http *http);

// Takes NULL.
void http_close(struct http *http);

// The sender of a request: anybody, or the operator, over a listener that has checked it.
enum http_audience { HTTP_PUBLIC, HTTP_OPERATOR, HTTP_OPERATOR_BY_TOKEN };

// Whether there is an answer to a path, and whether it is the same for everybody: a file of the
// dashboard, which asks for the token.
bool http_serves(const struct http *http, const char *path);
bool http_serves_anyone(const struct http *http, const char *path);

// A step of a request that another listener has received from an operator, see `answer` of struct
// http_listener_def.
bool http_answer_operator(struct http *http, const struct http_request *request,
                          enum http_audience audience);

// What other modules serve: each registers itself, before the loop runs.
struct http_services *http_services(struct http *http);

uint16_t http_port(const struct http *http);

// Ends the streams of arenas that are gone.
void http_end_stale(struct http *http);
