// SPDX-License-Identifier: MIT
// Answers of an HTTP server: responses of libmicrohttpd, each with its type and the headers that
// keep it out of caches and out of pages from elsewhere. Main thread only. Whatever returns a
// response returns NULL when memory runs out.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct MHD_Connection;
struct MHD_Response;

#define HTTP_JSON_TYPE "application/json"

enum http_status {
    HTTP_OK = 200,
    HTTP_BAD_REQUEST = 400,
    HTTP_UNAUTHORIZED = 401,
    HTTP_FORBIDDEN = 403,
    HTTP_NOT_FOUND = 404,
    HTTP_METHOD_NOT_ALLOWED = 405,
    HTTP_CONFLICT = 409,
    HTTP_CONTENT_TOO_LARGE = 413,
    HTTP_MISDIRECTED_REQUEST = 421,
    HTTP_SERVER_ERROR = 500,
    HTTP_UNAVAILABLE = 503,
    HTTP_GATEWAY_TIMEOUT = 504,
};

// Borrows the text for as long as the response is sent.
struct MHD_Response *http_answer_constant(const char *type, const char *text);

// Takes the text, whatever comes of it. NULL for no text, too.
struct MHD_Response *http_answer_text(const char *type, char *text);

// A text without an end: `read` writes up to `capacity` bytes and returns their number,
// HTTP_STREAM_END, or 0 after it has suspended the connection. `end` is called once, with the
// response's last reference, or at once where NULL is returned.
#define HTTP_STREAM_END ((ssize_t)-1)
struct MHD_Response *http_answer_stream(const char *type,
                                        ssize_t (*read)(void *context, uint64_t position,
                                                        char *bytes, size_t capacity),
                                        void (*end)(void *context), void *context);

// Copies both. False when memory runs out.
bool http_answer_add_header(struct MHD_Response *response, const char *name, const char *value);

// Ends a reference; connections that send the response have their own. Takes NULL.
void http_answer_release(struct MHD_Response *response);

// Sends a response, which the caller keeps. The answer to a request handler: false closes the
// connection.
bool http_answer_send(struct MHD_Connection *connection, enum http_status status,
                      struct MHD_Response *response);

// Sends a response for the only time; false for NULL.
bool http_answer_send_once(struct MHD_Connection *connection, enum http_status status,
                           struct MHD_Response *response);

// Sends {"error":"PROBLEM"}; the problem needs no escaping. `allow` is the header of that name, or
// NULL.
bool http_answer_send_problem(struct MHD_Connection *connection, enum http_status status,
                              const char *problem, const char *allow);
