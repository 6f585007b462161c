// SPDX-License-Identifier: MIT
// How often strangers may ask: a token bucket per source, be it an address or a network, and one
// for all together, in fixed memory. Time comes from the caller, in any unit as long as it is one.
// Saying no costs a multiplication and two comparisons, and writes nothing.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Sources are spread over so many buckets by a secret hash. Those that meet share a bucket's rate:
// nothing needs to be forgotten to make room, so inventing sources gains no tokens.
#define RATE_LIMIT_BUCKETS 1024

// The bits of an IPv4 address that tell sources apart.
enum rate_source { RATE_OF_NETWORK = 24, RATE_OF_ADDRESS = 32 };

// A token every `interval` (at least 1); at most `burst` (at least 1) are saved up.
struct rate {
    int64_t interval, burst;
};

struct rate_limit {
    enum rate_source source;
    struct rate of_source, of_all;
    uint64_t multiplier;
    // Of each bucket the time at which it was empty, were all its tokens of after that time; a
    // bucket then needs no count.
    int64_t all_empty;
    int64_t empty[RATE_LIMIT_BUCKETS];
};

// All buckets are full. `secret` is a random number that nobody outside knows.
void rate_limit_init(struct rate_limit *limit, enum rate_source source, struct rate of_source,
                     struct rate of_all, uint64_t secret);

// Takes a token of the address's source and one of all; false, and nothing taken, where either has
// none. The address is IPv4 in the machine's byte order; time never goes back.
bool rate_limit_take(struct rate_limit *limit, uint32_t address, int64_t now);
