// SPDX-License-Identifier: MIT
// One HTTP request at a time, without blocking. Redirects are not followed. The certificate of a
// server is verified against the file that $SSL_CERT_FILE names, or the system's authorities.
// Thread rule: a request belongs to one thread at a time; the first request of the process
// initializes libcurl: let it be made before another thread makes one.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct http_request;

struct http_request_def {
    const char *url;  // http or https, see $SSL_CERT_FILE; copied
    const char *json; // body of a POST, copied; NULL: a GET
    size_t max_bytes; // of the answer's body; a longer one fails the request
    long timeout_ms;
    bool avoids_proxy;  // ignores the proxies of the environment
    bool only_connects; // it is answered by the end of the TCP handshake, and nothing is sent
};

// Begins a request. NULL when memory runs out. Destroy takes NULL.
struct http_request *http_request_begin(const struct http_request_def *def);
void http_request_destroy(struct http_request *request);

enum http_request_state {
    HTTP_REQUEST_PENDING,
    HTTP_REQUEST_ANSWERED, // by any status
    HTTP_REQUEST_FAILED,
};

// Continues the request without blocking. Call it once per frame.
enum http_request_state http_request_poll(struct http_request *request);

// Waits until there is something to continue with, or until the time has passed.
void http_request_wait(struct http_request *request, int timeout_ms);

// ANSWERED: the status of HTTP, and the body, which is valid until http_request_destroy.
long http_request_status(const struct http_request *request);
const char *http_request_body(const struct http_request *request, size_t *size);

// ANSWERED: how long the TCP handshake took, without finding the address by its name.
double http_request_connect_ms(const struct http_request *request);

// FAILED: the error, for people.
const char *http_request_problem(const struct http_request *request);
