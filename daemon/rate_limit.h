// SPDX-License-Identifier: MIT
// How often strangers may ask: a token bucket per source network (/24) and one for all together, in
// fixed memory. Time comes from the caller. Saying no costs a multiplication and two comparisons,
// and writes nothing.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Networks are spread over so many buckets by a secret hash. Those that meet share a bucket's rate:
// nothing needs to be forgotten to make room, so inventing sources gains no tokens.
#define RATE_LIMIT_BUCKETS 1024

// A token every `interval_ms` (at least 1); at most `burst` (at least 1) are saved up.
struct rate {
    int64_t interval_ms, burst;
};

struct rate_limit {
    struct rate of_network, of_all;
    uint64_t multiplier;
    // Of each bucket the time at which it was empty, were all its tokens of after that time; a
    // bucket then needs no count.
    int64_t all_empty_ms;
    int64_t empty_ms[RATE_LIMIT_BUCKETS];
};

// All buckets are full. `secret` is a random number that nobody outside knows.
void rate_limit_init(struct rate_limit *limit, struct rate of_network, struct rate of_all,
                     uint64_t secret);

// Takes a token of the address's network and one of all; false, and nothing taken, where either
// has none. The address is IPv4 in the machine's byte order; time never goes back.
bool rate_limit_take(struct rate_limit *limit, uint32_t address, int64_t now_ms);
