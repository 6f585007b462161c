// SPDX-License-Identifier: MIT
// Token buckets told by a time alone: the tokens in one are the intervals since it was empty.
#include "rate_limit.h"

#include <assert.h>

enum { NETWORK_SHIFT = 8, BUCKET_BITS = 10 };

static_assert(1 << BUCKET_BITS == RATE_LIMIT_BUCKETS, "the hash's range");

void rate_limit_init(struct rate_limit *limit, struct rate of_network, struct rate of_all,
                     uint64_t secret)
{
    assert(of_network.interval_ms >= 1 && of_network.burst >= 1);
    assert(of_all.interval_ms >= 1 && of_all.burst >= 1);
    limit->of_network = of_network;
    limit->of_all = of_all;
    limit->multiplier = secret | 1;
    limit->all_empty_ms = INT64_MIN;
    for (int i = 0; i < RATE_LIMIT_BUCKETS; i++)
        limit->empty_ms[i] = INT64_MIN;
}

// Since when a bucket has been filling, in so far as it holds what came since.
static int64_t filling_since(int64_t empty_ms, struct rate rate, int64_t now_ms)
{
    const int64_t full = now_ms - rate.burst * rate.interval_ms;
    return empty_ms > full ? empty_ms : full;
}

bool rate_limit_take(struct rate_limit *limit, uint32_t address, int64_t now_ms)
{
    // Multiply-shift hashing (Dietzfelbinger et al., A reliable randomized algorithm for the
    // closest-pair problem, 1997): one secret multiplier makes collisions nobody's choice.
    const uint64_t network = address >> NETWORK_SHIFT;
    int64_t *empty_ms = &limit->empty_ms[network * limit->multiplier >> (64 - BUCKET_BITS)];
    const int64_t since = filling_since(*empty_ms, limit->of_network, now_ms);
    if (now_ms - since < limit->of_network.interval_ms)
        return false;
    const int64_t all_since = filling_since(limit->all_empty_ms, limit->of_all, now_ms);
    if (now_ms - all_since < limit->of_all.interval_ms)
        return false;
    *empty_ms = since + limit->of_network.interval_ms;
    limit->all_empty_ms = all_since + limit->of_all.interval_ms;
    return true;
}
