// SPDX-License-Identifier: MIT
// HTTP server on a listening socket: libmicrohttpd without its own threads, with connection limits
// (http_clients.h). The loop runs it. Nothing blocks. Main thread only.
#pragma once

#include "http_clients.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct MHD_Connection;
struct http_listener;
struct loop;

// A step of a request: its headers have arrived, then a piece of its body, then the end.
struct http_request {
    struct MHD_Connection *connection;
    const char *path, *method;
    const char *piece; // of the body
    size_t piece_bytes;
    void **memory; // for the handler's use, NULL at first
};

// The first member of a request's memory if a listener serves requests of several kinds.
struct request_memory {
    void (*end)(struct request_memory *memory); // frees it
};

// The memory of requests that need none: its `end` does nothing.
extern struct request_memory request_memory_none;

struct http_listener_def {
    struct loop *loop;        // borrowed
    int socket;               // owned by the listener, even if it cannot start
    uint32_t max_connections; // at most HTTP_MAX_CLIENTS

    // PEM texts, borrowed until http_listener_stop; certificate and key NULL: no TLS. With
    // `authorities` clients are asked for a certificate, see http_connection_has_certificate.
    const char *certificate, *key, *authorities;

    // Counter of the connections that are rejected because too many begin; NULL: they are not
    // counted. The limit holds for TLS, whose handshake is expensive: 33 a second per address after
    // 64 at once, 100 a second in all.
    uint64_t *rejected;

    // Called for each step until it sends a response (http_answer.h). A response to the headers
    // closes the connection without reading a body; after a response to the whole request the
    // connection stays open. Returning false closes the connection at once.
    bool (*answer)(void *context, const struct http_request *request);

    // Called at the end of each request whose memory is not NULL. May be NULL.
    void (*end)(void *context, void *memory);
    void *context; // passed to both callbacks
};

// Returns NULL when memory or descriptors run out, or if the certificate or the key is invalid.
struct http_listener *http_listener_start(const struct http_listener_def *def);

// Stops the server. No connection may be suspended. Takes NULL.
void http_listener_stop(struct http_listener *listener);

// Runs the listener at once instead of by the loop, so that resumed connections end before it is
// stopped.
void http_listener_run(struct http_listener *listener);

// The value of a request header, or NULL.
const char *http_connection_header(struct MHD_Connection *connection, const char *name);

// The decoded value of an argument in the query of a request's address, or NULL.
const char *http_connection_argument(struct MHD_Connection *connection, const char *name);

// Whether the Content-Length of a request is above `most` bytes. A body without one is counted as
// it is received.
bool http_connection_announces_more(struct MHD_Connection *connection, size_t most);

// Whether the TLS client presented a currently valid certificate that is signed by one of the
// listener's authorities and whose extended key usage permits client authentication, or is absent.
bool http_connection_has_certificate(struct MHD_Connection *connection);

// The user id of the process at the other end of a Unix socket (SO_PEERCRED). Returns false for
// other connections.
bool http_connection_user(struct MHD_Connection *connection, uint32_t *user);

// Copies the common name of the client's certificate; "" if it has none.
void http_connection_name(struct MHD_Connection *connection, char *name, size_t capacity);

// The connection's limits; NULL: it found no free slot.
struct http_client *http_connection_client(struct MHD_Connection *connection);

// Notes a whole request, see http_client_renew.
void http_connection_renew(struct MHD_Connection *connection);

// Ends the idle timeout of a connection. Its deadline (http_clients.h) remains.
void http_connection_ignore_idle(struct MHD_Connection *connection);

// Sets the size of the socket's send buffer in bytes (SO_SNDBUF).
void http_connection_limit_buffer(struct MHD_Connection *connection, int bytes);

// Stop and restart the processing of a connection.
void http_connection_suspend(struct MHD_Connection *connection);
void http_connection_resume(struct MHD_Connection *connection);
