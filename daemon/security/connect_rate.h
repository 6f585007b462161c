// SPDX-License-Identifier: MIT
// Rate limit of new connections per address. A client that connects a thousand times a second may
// share its address (NAT) with honest players, so an address has two token buckets. A first CONNECT
// draws from the first bucket. When that is empty, a CONNECT that repeats one of the same
// connection at least CONNECT_RATE_RETRY_MS later, as ENet does by itself, draws from the second
// bucket. Clients that do not retry cannot drain it; attackers that retry share it with honest
// clients. An address is an IPv4 address or an IPv6 /64; because a site may have 2^16 of these, an
// IPv6 network (/48) has a third bucket, of CONNECT_RATE_OF_NETWORK addresses, from which its first
// CONNECTs draw too. Fixed memory; time comes from the caller.
#pragma once

#include "rate_limit.h"
#include "socket_address.h"

#include <stdbool.h>
#include <stdint.h>

// ENet repeats a CONNECT after 500 ms, then after 1 s, then after 2 s.
#define CONNECT_RATE_RETRY_MS 300

// Rejected connections are stored in a hash table with a secret multiplier. Each of
// CONNECT_RATE_ROWS rows keeps the newest CONNECT_RATE_IN_ROW, which holds every connection of the
// last two seconds at a thousand new connections a second.
#define CONNECT_RATE_ROWS 512
#define CONNECT_RATE_IN_ROW 8

// The rate of an IPv6 network, as a multiple of the rate of an address.
#define CONNECT_RATE_OF_NETWORK 16

struct connect_rate_pending {
    uint32_t mark; // hash of the connection; 0: empty
    uint32_t since_ms;
};

struct connect_rate {
    struct rate_limit initial, retries, networks;
    struct udp_address_hash hash;
    uint64_t multiplier; // of connection ids
    struct connect_rate_pending pending[CONNECT_RATE_ROWS][CONNECT_RATE_IN_ROW];
};

// Each bucket of an address refills at `per_second` (1 to 1000) tokens a second. The first holds
// the tokens of four seconds, the second those of one. `secret` is random and known only to this
// process.
void connect_rate_init(struct connect_rate *limiter, uint32_t per_second, uint64_t secret);

// Whether a connection may begin. ENet's connection id may be in any byte order that is the same in
// every call. `now_ms` never decreases.
bool connect_rate_admit(struct connect_rate *limiter, struct udp_address from, uint32_t connection,
                        int64_t now_ms);
