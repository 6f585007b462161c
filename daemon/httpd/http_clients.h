// SPDX-License-Identifier: MIT
// Connection limits of an HTTP server: deadlines, and eviction when all slots are taken. Slow
// clients (slowloris), which send a byte now and then, defeat an idle timeout. So there is a
// deadline for a whole request and for reading a whole response. A connection above the limit
// evicts one of the address with the most connections, so that one address cannot lock out others.
// Times are in ms of a monotonic clock that the caller reads. One thread only.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_MAX_CLIENTS 192U      // of the status server; at most 128 are viewers
#define HTTP_SPARE_CLIENTS 64U     // ended clients that the HTTP library has not closed yet
#define HTTP_DEADLINE_MS 10000U    // for a request and for reading its response
#define HTTP_ANSWER_GRACE_MS 1000U // time for which an equal client cannot evict a response

enum http_client_state {
    HTTP_CLIENT_FREE,      // a free slot
    HTTP_CLIENT_AWAITED,   // a whole request is awaited
    HTTP_CLIENT_ANSWERED,  // the client is reading a response
    HTTP_CLIENT_STREAMING, // the client reads events; never evicted
    HTTP_CLIENT_ENDED,     // the socket was shut down
};

struct http_client {
    struct http_clients *all;
    enum http_client_state state;
    int descriptor;
    uint64_t address;  // of the client: see ip_address_host
    uint32_t peers;    // live connections of this address, including this one
    uint64_t since_ms; // begin of this state
    uint64_t order;    // of state changes; breaks ties of since_ms
    uint64_t due_ms;   // deadline, at which the connection is ended
};

// Zero-initialize, then set the limit.
struct http_clients {
    uint32_t limit;  // maximum number of connections, up to HTTP_MAX_CLIENTS
    uint32_t count;  // live connections
    uint64_t orders; // the last `order`
    struct http_client list[HTTP_MAX_CLIENTS + HTTP_SPARE_CLIENTS];
};

// Adds a connection, whose first request is due in HTTP_DEADLINE_MS. Above the limit one connection
// is ended: among clients whose request is awaited, the oldest of the address with the most
// connections. If that is the new one, the oldest client reading a response is ended instead,
// provided that its address has more connections or it has been reading for HTTP_ANSWER_GRACE_MS.
// Borrows the descriptor until the client leaves. Returns NULL without a free slot.
struct http_client *http_clients_join(struct http_clients *clients, int descriptor,
                                      uint64_t address, uint64_t now_ms);

// Notes a whole request: reading the response and sending the next request is due in
// HTTP_DEADLINE_MS.
void http_client_renew(struct http_client *client, uint64_t now_ms);

// Note that the response is a stream, or that it has been read and the next request is awaited.
void http_client_stream(struct http_client *client);
void http_client_await(struct http_client *client, uint64_t now_ms);

// Shuts the socket down; the HTTP library then sees the end of the connection.
void http_client_end(struct http_client *client);

void http_client_leave(struct http_client *client);

// The next deadline; UINT64_MAX: none.
uint64_t http_clients_due_ms(const struct http_clients *clients);

// Whether a client is in the state HTTP_CLIENT_ANSWERED.
bool http_clients_are_answered(const struct http_clients *clients);

// Ends all clients whose deadline has passed.
void http_clients_end_late(struct http_clients *clients, uint64_t now_ms);
