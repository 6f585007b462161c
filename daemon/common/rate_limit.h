// SPDX-License-Identifier: MIT
// Rate limiter: a token bucket per source address or network, and one for all sources together, in
// fixed memory. Time comes from the caller, in the same unit in every call.
//
// The buckets are a set-associative table of the sources that use most (Metwally et al., Efficient
// computation of frequent and top-k elements in data streams, 2005): a source that is not in its
// row replaces the one whose bucket is fullest, and inherits that bucket, so that forged sources
// gain no tokens. A source that uses much therefore keeps its own bucket. Sources share one
// only where more than RATE_LIMIT_WAYS of a row use much at a time.
#pragma once

#include "ip_address.h"

#include <stdbool.h>
#include <stdint.h>

enum { RATE_LIMIT_ROWS = 64, RATE_LIMIT_WAYS = 8 };

// The part of an address that identifies a source: an IPv4 address or an IPv6 /64, or a network: an
// IPv4 /24 or an IPv6 /48 (see ip_address.h).
enum rate_source { RATE_OF_NETWORK, RATE_OF_ADDRESS };

// One token every `interval` (at least 1); a bucket holds at most `burst` (at least 1).
struct rate {
    int64_t interval, burst;
};

// As the rate of all sources: there is none.
#define RATE_UNLIMITED ((struct rate){0, 0})

// The time since which a bucket has been filling from empty. It replaces a token count: a bucket
// holds one token per interval since then, up to its burst. INT64_MIN: it is full.
typedef int64_t rate_bucket;

// The tokens in a bucket.
int64_t rate_bucket_left(rate_bucket bucket, struct rate rate, int64_t now);

// The bucket with a token less.
rate_bucket rate_bucket_take(rate_bucket bucket, struct rate rate, int64_t now);

struct rate_limit_entry {
    uint64_t source; // see ip_address_host and ip_address_network
    rate_bucket bucket;
};

struct rate_limit {
    enum rate_source source;
    struct rate of_source, of_all;
    uint64_t multiplier; // of the hash
    rate_bucket all;
    struct rate_limit_entry entries[RATE_LIMIT_ROWS][RATE_LIMIT_WAYS];
};

// Fills all buckets. `secret` is random and known only to this process.
void rate_limit_init(struct rate_limit *limit, enum rate_source source, struct rate of_source,
                     struct rate of_all, uint64_t secret);

// The tokens of the address's source. A source that is not in the table has its whole burst: it has
// taken none, or fewer than each of the RATE_LIMIT_WAYS sources of its row.
int64_t rate_limit_left(const struct rate_limit *limit, struct ip_address ip, int64_t now);

// Takes a token of the address's source and one of all sources. False, and takes none, if either
// bucket is empty. `now` never decreases.
bool rate_limit_take(struct rate_limit *limit, struct ip_address ip, int64_t now);
