// SPDX-License-Identifier: MIT
// Admission of A2S server queries: rate limits and a stateless challenge (see challenge.h).
// Receives every datagram that begins with FF FF and is no raim datagram, and admits a query only
// if its sender is within the rate and repeats its challenge. Time and randomness come from the
// caller.
#pragma once

#include "challenge.h"
#include "ip_address.h"
#include "query_request.h"
#include "rate_limit.h"

#include <stddef.h>
#include <stdint.h>

// Rates of queries, for a source network (see ip_address.h) and for all networks together: one
// token every `interval` ms. A tool that requests everything sends six queries at once.
#define QUERY_GUARD_PER_NETWORK ((struct rate){.interval = 100, .burst = 60})
#define QUERY_GUARD_OF_ALL ((struct rate){.interval = 4, .burst = 250})

enum query_verdict {
    QUERY_REFUSED,    // not a query
    QUERY_LIMITED,    // beyond the rate; drop it
    QUERY_CHALLENGED, // send `reply`, the challenge
    QUERY_ADMITTED,   // answer it
};

struct query_guard {
    struct challenge challenge;
    struct rate_limit limit;
};

// `hash` and `secret` are random and known only to this process; see rate_limit.h and challenge.h.
void query_guard_init(struct query_guard *guard, uint64_t hash,
                      const uint8_t secret[CHALLENGE_SECRET_BYTES]);

// Checks a datagram. Writes `kind` when the result is QUERY_ADMITTED, and `reply`, which is never
// larger than the datagram, when it is QUERY_CHALLENGED. `now_ms` never decreases.
enum query_verdict query_guard_judge(struct query_guard *guard, struct udp_address from,
                                     const uint8_t *data, size_t size, int64_t now_ms,
                                     enum query_kind *kind, uint8_t reply[QUERY_CHALLENGE_REPLY]);
