// SPDX-License-Identifier: MIT
// How often an address may begin a connection. Behind one address there may be somebody who
// connects a thousand times a second and a neighbour who wants to play. So there are two token
// buckets of an address: whoever comes draws from the first; who finds it empty, and still asks
// for the same connection CONNECT_RATE_RETRY_MS later, as ENet does by itself, draws from the
// second, which those who come and go never touch. It does not help against as many who wait as
// patiently: they share the second. Fixed memory; time comes from the caller.
#pragma once

#include "rate_limit.h"

#include <stdbool.h>
#include <stdint.h>

// ENet repeats a CONNECT after 500 ms, 1 s more, 2 s more.
#define CONNECT_RATE_RETRY_MS 300

// Connections that wait are remembered by a secret hash in one of so many rows, of which each keeps
// the newest CONNECT_RATE_IN_ROW: all of the last two seconds, where a thousand come in a second.
#define CONNECT_RATE_ROWS 512
#define CONNECT_RATE_IN_ROW 8

struct connect_rate_pending {
    uint32_t mark; // of the connection, 0 for none
    uint32_t since_ms;
};

struct connect_rate {
    struct rate_limit initial, retries;
    uint64_t multiplier;
    struct connect_rate_pending pending[CONNECT_RATE_ROWS][CONNECT_RATE_IN_ROW];
};

// `per_second` (1 to 1000) for either bucket of an address; the first holds four times as many.
// `secret` is a random number that nobody outside knows.
void connect_rate_init(struct connect_rate *limiter, uint32_t per_second, uint64_t secret);

// Whether a connection may begin. The address is IPv4 in the machine's byte order; the port and
// ENet's connection id are in any byte order as long as it is one; time never goes back.
bool connect_rate_admit(struct connect_rate *limiter, uint32_t address, uint16_t port,
                        uint32_t connection, int64_t now_ms);
