// SPDX-License-Identifier: MIT
// Token buckets stored as one time each: a bucket has one token per interval since it was empty.
#include "rate_limit.h"

#include <assert.h>
#include <stddef.h>

enum { ROW_BITS = 6 };

static_assert(1 << ROW_BITS == RATE_LIMIT_ROWS, "the hash's range");

// The time since which a bucket has been filling, bounded so that it holds at most its burst.
static int64_t filling_since(rate_bucket bucket, struct rate rate, int64_t now)
{
    const int64_t full = now - rate.burst * rate.interval;
    return bucket > full ? bucket : full;
}

static bool has_token(rate_bucket bucket, struct rate rate, int64_t now)
{
    return now - filling_since(bucket, rate, now) >= rate.interval;
}

int64_t rate_bucket_left(rate_bucket bucket, struct rate rate, int64_t now)
{
    return (now - filling_since(bucket, rate, now)) / rate.interval;
}

rate_bucket rate_bucket_take(rate_bucket bucket, struct rate rate, int64_t now)
{
    return filling_since(bucket, rate, now) + rate.interval;
}

void rate_limit_init(struct rate_limit *limit, enum rate_source source, struct rate of_source,
                     struct rate of_all, uint64_t secret)
{
    assert(of_source.interval >= 1 && of_source.burst >= 1);
    limit->source = source;
    limit->of_source = of_source;
    limit->of_all = of_all;
    limit->multiplier = secret | 1;
    limit->all = INT64_MIN;
    for (int i = 0; i < RATE_LIMIT_ROWS * RATE_LIMIT_WAYS; i++)
        limit->entries[i / RATE_LIMIT_WAYS][i % RATE_LIMIT_WAYS] =
            (struct rate_limit_entry){.bucket = INT64_MIN};
}

static uint64_t source_of(const struct rate_limit *limit, struct ip_address ip)
{
    return limit->source == RATE_OF_NETWORK ? ip_address_network(ip) : ip_address_host(ip);
}

// The index of a source's row. Multiply-shift hashing (Dietzfelbinger et al., A reliable randomized
// algorithm for the closest-pair problem, 1997): the secret multiplier keeps attackers from
// choosing collisions.
static size_t row_of(const struct rate_limit *limit, uint64_t source)
{
    return (size_t)(source * limit->multiplier >> (64 - ROW_BITS));
}

int64_t rate_limit_left(const struct rate_limit *limit, struct ip_address ip, int64_t now)
{
    const uint64_t source = source_of(limit, ip);
    const struct rate_limit_entry *row = limit->entries[row_of(limit, source)];
    for (int i = 0; i < RATE_LIMIT_WAYS; i++)
        if (row[i].source == source)
            return rate_bucket_left(row[i].bucket, limit->of_source, now);
    return limit->of_source.burst;
}

// The bucket of a source, which may replace the fullest one of its row.
static rate_bucket *bucket_of(struct rate_limit *limit, uint64_t source)
{
    struct rate_limit_entry *row = limit->entries[row_of(limit, source)];
    struct rate_limit_entry *fullest = row;
    for (int i = 0; i < RATE_LIMIT_WAYS; i++) {
        if (row[i].source == source)
            return &row[i].bucket;
        if (row[i].bucket < fullest->bucket)
            fullest = &row[i];
    }
    fullest->source = source;
    return &fullest->bucket;
}

bool rate_limit_take(struct rate_limit *limit, struct ip_address ip, int64_t now)
{
    if (!has_token(limit->all, limit->of_all, now))
        return false;
    rate_bucket *bucket = bucket_of(limit, source_of(limit, ip));
    if (!has_token(*bucket, limit->of_source, now))
        return false;
    *bucket = rate_bucket_take(*bucket, limit->of_source, now);
    limit->all = rate_bucket_take(limit->all, limit->of_all, now);
    return true;
}
