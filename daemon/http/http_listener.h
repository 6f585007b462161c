// SPDX-License-Identifier: MIT
// An HTTP server on a listening socket: libmicrohttpd without a thread of its own, and the
// deadlines of its connections (http_clients.h). Main thread only: wait for
// http_listener_descriptor to be readable (or http_listener_timeout_ms to pass), then call
// http_listener_run. Nothing blocks.
#pragma once

#include "http_clients.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct MHD_Connection;
struct http_listener;

// A step of a request: its headers have arrived, then a piece of its body, then all of it.
struct http_request {
    struct MHD_Connection *connection;
    const char *path, *method;
    const char *piece; // of the body
    size_t piece_bytes;
    void **memory; // the handler's own, NULL at first
};

struct http_listener_def {
    int socket;               // the listener takes it, even if it cannot start
    uint32_t max_connections; // at most HTTP_MAX_CLIENTS

    // Called for each step until it sends an answer (http_answer.h): to the headers, after which
    // the connection is closed without reading a body, or to the whole request, after which the
    // connection may bring another one. False closes the connection at once.
    bool (*answer)(void *context, const struct http_request *request);

    // Called when a request with memory is over, however it ended. NULL: nothing is to be done.
    void (*end)(void *context, void *memory);
    void *context; // what both are called with
};

// NULL when memory or descriptors run out.
struct http_listener *http_listener_start(const struct http_listener_def *def);

// Takes NULL. No connection may be suspended.
void http_listener_stop(struct http_listener *listener);

int http_listener_descriptor(const struct http_listener *listener);

// Milliseconds until http_listener_run wants to be called, or `other_ms` where that is earlier; -1
// in either is no such need.
int http_listener_timeout_ms(const struct http_listener *listener, int other_ms);
void http_listener_run(struct http_listener *listener);

// The value of a request's header; NULL where it has none.
const char *http_connection_header(struct MHD_Connection *connection, const char *name);

// NULL where there was no place for it.
struct http_client *http_connection_client(struct MHD_Connection *connection);

// The connection has sent a whole request: see http_client_renew.
void http_connection_renew(struct MHD_Connection *connection);

// Limits the bytes that wait in the kernel for whoever reads the answer.
void http_connection_limit_buffer(struct MHD_Connection *connection, int bytes);

// Stops calling for a connection, until it is resumed.
void http_connection_suspend(struct MHD_Connection *connection);
void http_connection_resume(struct MHD_Connection *connection);
