// SPDX-License-Identifier: MIT
// HTTP responses of libmicrohttpd with a content type and the headers that prevent caching and use
// by pages of other origins. Main thread only. Functions that return a response return NULL when
// memory runs out.
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
    HTTP_CREATED = 201,
    HTTP_ACCEPTED = 202,
    HTTP_PARTIAL_CONTENT = 206,
    HTTP_NOT_MODIFIED = 304,
    HTTP_BAD_REQUEST = 400,
    HTTP_UNAUTHORIZED = 401,
    HTTP_FORBIDDEN = 403,
    HTTP_NOT_FOUND = 404,
    HTTP_METHOD_NOT_ALLOWED = 405,
    HTTP_CONFLICT = 409,
    HTTP_PRECONDITION_FAILED = 412,
    HTTP_CONTENT_TOO_LARGE = 413,
    HTTP_RANGE_NOT_SATISFIABLE = 416,
    HTTP_MISDIRECTED_REQUEST = 421,
    HTTP_UNPROCESSABLE = 422,
    HTTP_SERVER_ERROR = 500,
    HTTP_UNAVAILABLE = 503,
    HTTP_GATEWAY_TIMEOUT = 504,
};

// Makes a response with constant text. If it may be cached, the client must validate it each time
// it uses it. Borrows the text until the response is released and sent.
struct MHD_Response *http_answer_constant(const char *type, const char *text, bool may_be_cached);

// Makes a response with a heap-allocated text, which it takes even on failure. Also returns NULL
// for NULL.
struct MHD_Response *http_answer_text(const char *type, char *text);

// Makes a response with heap-allocated bytes, which it takes even on failure. See
// http_answer_constant for `may_be_cached`.
struct MHD_Response *http_answer_bytes(const char *type, char *bytes, size_t size,
                                       bool may_be_cached);

// Makes a response of unknown length, whose header asks proxies not to buffer it. `read` writes up
// to `capacity` bytes and returns their number, HTTP_STREAM_END, or 0 after it has suspended the
// connection. `end` is called once: when the last reference ends, or before NULL is returned.
#define HTTP_STREAM_END ((ssize_t)-1)
struct MHD_Response *http_answer_stream(const char *type,
                                        ssize_t (*read)(void *context, uint64_t position,
                                                        char *bytes, size_t capacity),
                                        void (*end)(void *context), void *context);

// Makes a response of `size` bytes, which the client may cache and must validate each time it uses
// it. `read` and `end` are as above, but `read` is called for blocks of `block_bytes`, of which the
// response keeps one in memory, and returns HTTP_STREAM_BROKEN to close the connection.
#define HTTP_STREAM_BROKEN ((ssize_t)-2)
struct MHD_Response *http_answer_blocks(const char *type, uint64_t size, size_t block_bytes,
                                        ssize_t (*read)(void *context, uint64_t position,
                                                        char *bytes, size_t capacity),
                                        void (*end)(void *context), void *context);

// Adds a header; copies both texts. Returns false when memory runs out.
bool http_answer_add_header(struct MHD_Response *response, const char *name, const char *value);

// Ends a reference. Connections that send the response hold their own. Takes NULL.
void http_answer_release(struct MHD_Response *response);

// Queues a response, whose reference the caller keeps. A request handler returns the result: false
// closes the connection.
bool http_answer_send(struct MHD_Connection *connection, enum http_status status,
                      struct MHD_Response *response);

// Queues a response and ends the caller's reference. Returns false for NULL.
bool http_answer_send_once(struct MHD_Connection *connection, enum http_status status,
                           struct MHD_Response *response);

// Sends the problem that a body is longer than `most` bytes.
bool http_answer_send_too_long(struct MHD_Connection *connection, size_t most);

// Sends {"error":"PROBLEM"}. The problem must not need JSON escaping. `allow` is the value of the
// Allow header, or NULL.
bool http_answer_send_problem(struct MHD_Connection *connection, enum http_status status,
                              const char *problem, const char *allow);

// Conditional and range requests for a file (RFC 9110, sections 13 and 14): selects the status and
// the bytes that a request gets. Pure functions; any thread.

// The values of a request's headers; NULL: absent. Dates are left out, because answers have no
// Last-Modified: conditions on dates are ignored, and an If-Range with a date does not match.
struct http_conditions {
    bool is_head; // a Range counts with GET only
    const char *if_match, *if_none_match, *if_range, *range;
};

// HTTP_OK: the whole file. HTTP_PARTIAL_CONTENT: `count` bytes from `first`. HTTP_NOT_MODIFIED,
// HTTP_PRECONDITION_FAILED, HTTP_RANGE_NOT_SATISFIABLE: no bytes.
struct http_selection {
    enum http_status status;
    uint64_t first, count;
};

// Selects bytes of a file of `size` bytes with this strong entity tag, in its quotes. A Range of
// several ranges, of another unit or with a mistake is ignored, as RFC 9110 14.2 allows, so no
// answer is longer than the file.
struct http_selection http_conditions_select(const struct http_conditions *conditions,
                                             const char *tag, uint64_t size);
