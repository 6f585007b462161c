// SPDX-License-Identifier: MIT
// Rate limiter of unauthenticated requests: a token bucket per source address or network, and one
// for all sources together, in fixed memory. Time comes from the caller, in the same unit in every
// call. A refusal costs a multiplication and two comparisons, and writes nothing.
#pragma once

#include "ip_address.h"

#include <stdbool.h>
#include <stdint.h>

// Number of buckets. A hash with a secret multiplier assigns sources to buckets. Sources that
// collide share a bucket's rate. No entry is ever evicted, so forged sources gain no tokens.
#define RATE_LIMIT_BUCKETS 1024

// The part of an address that identifies a source: an IPv4 address or an IPv6 /64, or a network: an
// IPv4 /24 or an IPv6 /48 (see ip_address.h).
enum rate_source { RATE_OF_NETWORK, RATE_OF_ADDRESS };

// One token every `interval` (at least 1); a bucket holds at most `burst` (at least 1).
struct rate {
    int64_t interval, burst;
};

struct rate_limit {
    enum rate_source source;
    struct rate of_source, of_all;
    uint64_t multiplier;
    // The time since which a bucket has been filling from empty. It replaces a token count: a
    // bucket holds one token per interval since then, up to its burst.
    int64_t all_empty;
    int64_t empty[RATE_LIMIT_BUCKETS];
};

// Fills all buckets. `secret` is random and known only to this process.
void rate_limit_init(struct rate_limit *limit, enum rate_source source, struct rate of_source,
                     struct rate of_all, uint64_t secret);

// Whether rate_limit_take would succeed.
bool rate_limit_has(const struct rate_limit *limit, struct ip_address ip, int64_t now);

// Takes a token of the address's source and one of all sources. False, and takes none, if either
// bucket is empty. `now` never decreases.
bool rate_limit_take(struct rate_limit *limit, struct ip_address ip, int64_t now);
