// SPDX-License-Identifier: MIT
// Who may ask an arena without a connection: whatever begins like one of ENet's connectionless
// datagrams comes here, and only a query whose sender is within its rate and has met the challenge
// is let through. Time and randomness come from the caller.
#pragma once

#include "challenge.h"
#include "query_request.h"
#include "rate_limit.h"
#include "udp_address.h"

#include <stddef.h>
#include <stdint.h>

// Datagrams of a source network (/24), and of all; a token each so many ms. A tool that asks for
// everything sends six at once.
#define QUERY_GUARD_PER_NETWORK ((struct rate){.interval = 100, .burst = 60})
#define QUERY_GUARD_OF_ALL ((struct rate){.interval = 4, .burst = 250})

enum query_verdict {
    QUERY_REFUSED,    // no query
    QUERY_LIMITED,    // too many; to be dropped
    QUERY_CHALLENGED, // to be answered with the challenge's reply
    QUERY_ADMITTED,   // to be answered
};

struct query_guard {
    struct challenge challenge;
    struct rate_limit limit;
};

// `hash` and `secret` are random and known to nobody outside; see rate_limit.h and challenge.h.
void query_guard_init(struct query_guard *guard, uint64_t hash,
                      const uint8_t secret[CHALLENGE_SECRET_BYTES]);

// Judges a datagram. `kind` is written when it is ADMITTED, `reply` when it is CHALLENGED: it is
// never larger than the datagram.
enum query_verdict query_guard_judge(struct query_guard *guard, struct udp_address from,
                                     const uint8_t *data, size_t size, int64_t now_ms,
                                     enum query_kind *kind, uint8_t reply[QUERY_CHALLENGE_REPLY]);
