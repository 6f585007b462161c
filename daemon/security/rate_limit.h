// SPDX-License-Identifier: MIT
// Rate limiter of unauthenticated requests: a token bucket per source address or network, and one
// for all sources together, in fixed memory. Time comes from the caller, in the same unit in every
// call. A refusal costs a multiplication and two comparisons, and writes nothing.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Number of buckets. A hash with a secret multiplier assigns sources to buckets. Sources that
// collide share a bucket's rate. No entry is ever evicted, so forged sources gain no tokens.
#define RATE_LIMIT_BUCKETS 1024

// The leading bits of an IPv4 address that identify a source.
enum rate_source { RATE_OF_NETWORK = 24, RATE_OF_ADDRESS = 32 };

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

// Takes a token of the address's source and one of all sources. False, and takes none, if either
// bucket is empty. The address is IPv4 in the machine's byte order; `now` never decreases.
bool rate_limit_take(struct rate_limit *limit, uint32_t address, int64_t now);
