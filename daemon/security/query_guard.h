// SPDX-License-Identifier: MIT
// Admission of server queries in Valve's A2S protocol ("Server queries" in Valve's developer wiki):
// a parser of requests, a writer of the challenge reply, and a guard with rate limits and a
// stateless challenge (see challenge.h). The guard receives every datagram that begins with FF FF
// and is no raim datagram, and admits a query only if its sender is within the rate and repeats its
// challenge. a2s_reply.h writes the other replies. Integers are little-endian. Time and randomness
// come from the caller.
#pragma once

#include "challenge.h"
#include "ip_address.h"
#include "rate_limit.h"

#include <stddef.h>
#include <stdint.h>

// Bytes of the challenge reply: as large as the smallest request, so that it amplifies nothing.
#define QUERY_CHALLENGE_REPLY 9

// The challenge field of a request that has no challenge yet.
#define QUERY_NO_CHALLENGE UINT32_MAX

// QUERY_GETINFO is a master server's, see master_request.h.
enum query_kind {
    QUERY_NONE,
    QUERY_INFO,
    QUERY_PLAYERS,
    QUERY_RULES,
    QUERY_KINDS,
    QUERY_GETINFO = QUERY_KINDS
};

struct query {
    enum query_kind kind; // QUERY_NONE: not a query
    uint32_t challenge;   // QUERY_NO_CHALLENGE: none
};

// Parses a datagram. Ignores bytes after the request, which are padding.
struct query query_read(const uint8_t *data, size_t size);

// Writes the challenge reply and returns its size.
size_t query_write_challenge(uint32_t challenge, uint8_t reply[QUERY_CHALLENGE_REPLY]);

// Rates of queries, for a source network (see ip_address.h) and for all networks together: one
// token every `interval` ms. A tool that requests everything sends six queries at once.
#define QUERY_GUARD_PER_NETWORK ((struct rate){.interval = 100, .burst = 60})
#define QUERY_GUARD_OF_ALL ((struct rate){.interval = 4, .burst = 250})

enum query_verdict {
    QUERY_REJECTED,   // not a query
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
