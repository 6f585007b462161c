// SPDX-License-Identifier: MIT
// The connections of the HTTP server and the time that each has left. Who drips a byte now and
// then is never idle: only a deadline for a whole request, and for taking its whole answer, ends
// such a client. Times are in ms of a clock that the caller reads.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HTTP_MAX_CLIENTS 192U // more wait in the listen queue until one ends; 128 may be viewers
#define HTTP_DEADLINE_MS 10000U

struct http_client {
    int descriptor;
    uint64_t due_ms; // when it is ended; 0: nobody is here; UINT64_MAX: it has been
};

// All zero at first.
struct http_clients {
    struct http_client list[HTTP_MAX_CLIENTS];
};

// A connection has begun: its first request is due in HTTP_DEADLINE_MS. Borrows the descriptor
// until the client leaves. NULL when there are HTTP_MAX_CLIENTS already.
struct http_client *http_clients_join(struct http_clients *clients, int descriptor,
                                      uint64_t now_ms);

// It has sent a request: its answer, and the next request, are due HTTP_DEADLINE_MS from now.
void http_client_renew(struct http_client *client, uint64_t now_ms);
void http_client_leave(struct http_client *client);

// Milliseconds until somebody is due, or -1.
int http_clients_timeout_ms(const struct http_clients *clients, uint64_t now_ms);

// Shuts the sockets of those who are due, which the HTTP library then finds at their end.
void http_clients_end_late(struct http_clients *clients, uint64_t now_ms);
