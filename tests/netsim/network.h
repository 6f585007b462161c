// SPDX-License-Identifier: MIT
// Simulated network between one server and its clients with ENet's guarantees and random delay and
// loss. An unreliable message arrives at most once and never after a newer one; reliable messages
// all arrive in order, delayed by a retransmission for each loss. The same seed and the same calls
// give the same deliveries. Times are microseconds of the caller's clock, which starts at 0.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NETWORK_MAX_CLIENTS 128

// What a client's line does to each packet, either way. Zeroes are a line that delivers at once.
struct network_line {
    double latency_ms;  // one way
    double jitter_ms;   // on top: up to so much, evenly spread, so that packets overtake each other
    double loss;        // share of packets that are lost
    double duplication; // share that travels twice, each on its own
    double reordering;  // share that is held back for NETWORK_HELD_MS
    double bytes_per_s; // one way, headers included; what would wait longer than
                        // NETWORK_QUEUE_MS for its turn is lost. 0: no limit
};

#define NETWORK_HELD_MS 40.0
#define NETWORK_QUEUE_MS 200.0
#define NETWORK_HEADER_BYTES 38   // of IP, UDP and ENet, for each message
#define NETWORK_TIMEOUT_MS 5000.0 // after which an end gives a dead connection up

enum network_end {
    NETWORK_SERVER,
    NETWORK_CLIENT,
};

enum network_news {
    NETWORK_CONNECTED,
    NETWORK_MESSAGE,
    NETWORK_DISCONNECTED, // closed by the other end, or lost
};

// An event at one end of a connection.
struct network_delivery {
    uint64_t time_us;
    enum network_end end;
    enum network_news news;
    uint32_t connection; // below the network's capacity; a number is used again once both ends
                         // have been told that their connection is over, or have dropped it
    uint32_t client;     // whose connection it is
    bool reliable;       // of MESSAGE
    bool lost;           // of DISCONNECTED: by a timeout
    uint32_t reason;     // of DISCONNECTED, as the other end gave it
    const uint8_t *data; // of MESSAGE, in memory of exactly its size; valid until the next call
    size_t size;
};

// Unreliable messages that one end was sent, as the other end's numbers tell it, and what came.
struct network_share {
    uint32_t came, sent;
};

struct network;

// NULL when memory runs out. `capacity` is how many connections there can be at once, those that an
// end has not yet given up included.
struct network *network_create(uint32_t clients, uint32_t capacity, uint64_t seed);
void network_destroy(struct network *network);

void network_set_line(struct network *network, uint32_t client, const struct network_line *line);
const struct network_line *network_get_line(const struct network *network, uint32_t client);

// Begins a client's connection; both ends receive an event when it is established.
uint32_t network_connect(struct network *network, uint32_t client, uint64_t now_us);

// A message from one end to the other. Nothing happens where the connection is over.
void network_send(struct network *network, uint32_t connection, enum network_end from,
                  bool reliable, const uint8_t *data, size_t size, uint64_t now_us);

// Ends a connection once the other end has all reliable messages. Both ends receive an event.
void network_close(struct network *network, uint32_t connection, enum network_end from,
                   uint32_t reason, uint64_t now_us);

// Drops a connection at one end without notice; the other end times out later.
void network_drop(struct network *network, uint32_t connection, enum network_end from,
                  uint64_t now_us);

// Loses everything that leaves either end of a client's line before a time. A reliable message that
// is not acknowledged within NETWORK_TIMEOUT_MS ends its connection at both ends.
void network_cut(struct network *network, uint32_t client, uint64_t now_us, uint64_t until_us);

// When everything sent so far over a connection has arrived, or is lost; UINT64_MAX for a
// connection over which nothing arrives any more.
uint64_t network_settled_us(const struct network *network, uint32_t connection);

// The client's address changes: what either end sends over its connections from now on is lost.
void network_rebind(struct network *network, uint32_t client, uint64_t now_us);

// When the next delivery is due; UINT64_MAX for never.
uint64_t network_next_us(const struct network *network);

// Takes the next delivery if it is due; false if not.
bool network_next(struct network *network, uint64_t now_us, struct network_delivery *delivery);

// What came over a connection to an end since the last call for it.
struct network_share network_take_share(struct network *network, uint32_t connection,
                                        enum network_end end);
