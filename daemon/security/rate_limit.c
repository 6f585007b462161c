// SPDX-License-Identifier: MIT
// Token buckets stored as one time each: a bucket has one token per interval since it was empty.
#include "rate_limit.h"

#include <assert.h>
#include <stddef.h>

enum { BUCKET_BITS = 10 };

static_assert(1 << BUCKET_BITS == RATE_LIMIT_BUCKETS, "the hash's range");

void rate_limit_init(struct rate_limit *limit, enum rate_source source, struct rate of_source,
                     struct rate of_all, uint64_t secret)
{
    assert(of_source.interval >= 1 && of_source.burst >= 1);
    assert(of_all.interval >= 1 && of_all.burst >= 1);
    limit->source = source;
    limit->of_source = of_source;
    limit->of_all = of_all;
    limit->multiplier = secret | 1;
    limit->all_empty = INT64_MIN;
    for (int i = 0; i < RATE_LIMIT_BUCKETS; i++)
        limit->empty[i] = INT64_MIN;
}

// The time since which a bucket has been filling, bounded so that it holds at most its burst.
static int64_t filling_since(int64_t empty, struct rate rate, int64_t now)
{
    const int64_t full = now - rate.burst * rate.interval;
    return empty > full ? empty : full;
}

// The index of the bucket of an address. Multiply-shift hashing (Dietzfelbinger et al., A reliable
// randomized algorithm for the closest-pair problem, 1997): the secret multiplier keeps attackers
// from choosing collisions.
static size_t bucket_of(const struct rate_limit *limit, struct ip_address ip)
{
    const uint64_t source =
        limit->source == RATE_OF_NETWORK ? ip_address_network(ip) : ip_address_host(ip);
    return (size_t)(source * limit->multiplier >> (64 - BUCKET_BITS));
}

bool rate_limit_has(const struct rate_limit *limit, struct ip_address ip, int64_t now)
{
    const int64_t empty = limit->empty[bucket_of(limit, ip)];
    return now - filling_since(empty, limit->of_source, now) >= limit->of_source.interval &&
           now - filling_since(limit->all_empty, limit->of_all, now) >= limit->of_all.interval;
}

bool rate_limit_take(struct rate_limit *limit, struct ip_address ip, int64_t now)
{
    if (!rate_limit_has(limit, ip, now))
        return false;
    int64_t *empty = &limit->empty[bucket_of(limit, ip)];
    *empty = filling_since(*empty, limit->of_source, now) + limit->of_source.interval;
    limit->all_empty = filling_since(limit->all_empty, limit->of_all, now) + limit->of_all.interval;
    return true;
}
