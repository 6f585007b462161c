// SPDX-License-Identifier: MIT
// The connections of an HTTP server: how long each may take, and which one makes room when all
// places are taken. A client that drips a byte now and then is never idle: only a deadline for a
// whole request, and for taking its whole answer, ends it. When a connection more than the limit
// begins, the address that has the most connections loses one, so that whoever holds many keeps
// nobody else out. Times are in ms of a clock that the caller reads.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_MAX_CLIENTS 192U      // of the status; 128 of them may be viewers
#define HTTP_SPARE_CLIENTS 64U     // that were ended and that the HTTP library has not closed yet
#define HTTP_DEADLINE_MS 10000U    // for a request, and for taking its answer
#define HTTP_ANSWER_GRACE_MS 1000U // for which an answer cannot be interrupted by its own like

enum http_client_state {
    HTTP_CLIENT_FREE,      // a free place
    HTTP_CLIENT_AWAITED,   // it owes a whole request
    HTTP_CLIENT_ANSWERED,  // it owes to take an answer
    HTTP_CLIENT_STREAMING, // it takes events until it ends; never makes room
    HTTP_CLIENT_ENDED,     // its socket was shut down
};

struct http_client {
    struct http_clients *all;
    enum http_client_state state;
    int descriptor;
    uint32_t address;  // whose connection it is, in whatever order of bytes
    uint32_t peers;    // connections of this address that were not ended, itself included
    uint64_t since_ms; // in this state
    uint64_t order;    // of entering it; tells apart those of one millisecond
    uint64_t due_ms;   // when it is ended
};

// Zeroed, with its limit, at first.
struct http_clients {
    uint32_t limit;  // of connections at a time, at most HTTP_MAX_CLIENTS
    uint32_t count;  // that were not ended
    uint64_t orders; // that were counted
    struct http_client list[HTTP_MAX_CLIENTS + HTTP_SPARE_CLIENTS];
};

// A connection has begun: its first request is due in HTTP_DEADLINE_MS. Where there are more than
// the limit now, one is ended, maybe this one: of those whose request is awaited, the oldest of the
// address that has most connections; where that is the new one, the oldest answer, if its address
// has more connections than the new one's or it has been taken for HTTP_ANSWER_GRACE_MS. Borrows
// the descriptor until the client leaves. NULL when there is no place at all.
struct http_client *http_clients_join(struct http_clients *clients, int descriptor,
                                      uint32_t address, uint64_t now_ms);

// It has sent a whole request: its answer, and the next request, are due HTTP_DEADLINE_MS from now.
void http_client_renew(struct http_client *client, uint64_t now_ms);

// Its answer is a stream from now on, or has been taken: the next request is awaited.
void http_client_stream(struct http_client *client);
void http_client_await(struct http_client *client, uint64_t now_ms);

// Shuts its socket, which the HTTP library then finds at its end.
void http_client_end(struct http_client *client);

void http_client_leave(struct http_client *client);

// Milliseconds until somebody is due, or -1.
int http_clients_timeout_ms(const struct http_clients *clients, uint64_t now_ms);

// Shuts the sockets of those who are due, which the HTTP library then finds at their end.
void http_clients_end_late(struct http_clients *clients, uint64_t now_ms);
