// SPDX-License-Identifier: MIT
// Rejects sources that have failed too often, then compares the bucket of all with a level that
// rises with what the source has used of its share.
#include "check_limit.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

// What an address and a network may use without competing with others that use more: 128 networks
// together use as much as all may.
#define SHARE_OF_ADDRESS ((struct rate){.interval = 500, .burst = 8})
#define SHARE_OF_NETWORK ((struct rate){.interval = 250, .burst = 16})

// Tokens in the bucket of all: below RESERVED only for addresses that have a session to resume;
// below SPARE not for a source that has used up its share.
enum { RESERVED = 30, SPARE = 60 };

void check_limit_init(struct check_limit *limit, uint64_t secret)
{
    rate_limit_init(&limit->address_failures, RATE_OF_ADDRESS, CHECK_LIMIT_FAILURES_OF_ADDRESS,
                    RATE_UNLIMITED, secret);
    rate_limit_init(&limit->network_failures, RATE_OF_NETWORK, CHECK_LIMIT_FAILURES_OF_NETWORK,
                    RATE_UNLIMITED, secret);
    rate_limit_init(&limit->address_shares, RATE_OF_ADDRESS, SHARE_OF_ADDRESS, RATE_UNLIMITED,
                    secret);
    rate_limit_init(&limit->network_shares, RATE_OF_NETWORK, SHARE_OF_NETWORK, RATE_UNLIMITED,
                    secret);
    limit->all = INT64_MIN;
}

// The level that the bucket of all must exceed, from what a share holds.
static int64_t level_of(int64_t left, struct rate share)
{
    return SPARE - left * (SPARE - RESERVED) / share.burst;
}

static bool is_admitted(const struct check_limit *limit, struct ip_address ip,
                        const struct check_limit_known *known, int64_t now_ms)
{
    const int64_t tokens = rate_bucket_left(limit->all, CHECK_LIMIT_OF_ALL, now_ms);
    if (tokens < 1 || rate_limit_left(&limit->address_failures, ip, now_ms) < 1)
        return false;
    const int64_t of_address = rate_limit_left(&limit->address_shares, ip, now_ms);
    const int64_t of_network = rate_limit_left(&limit->network_shares, ip, now_ms);
    if (rate_limit_left(&limit->network_failures, ip, now_ms) >= 1 &&
        tokens > level_of(of_address, SHARE_OF_ADDRESS) &&
        tokens > level_of(of_network, SHARE_OF_NETWORK))
        return true;
    return of_address >= 1 && known->is_known != NULL && known->is_known(known->context, ip);
}

bool check_limit_take(struct check_limit *limit, struct ip_address ip,
                      const struct check_limit_known *known, int64_t now_ms)
{
    if (!is_admitted(limit, ip, known, now_ms))
        return false;
    rate_limit_take(&limit->address_shares, ip, now_ms);
    rate_limit_take(&limit->network_shares, ip, now_ms);
    limit->all = rate_bucket_take(limit->all, CHECK_LIMIT_OF_ALL, now_ms);
    return true;
}

void check_limit_fail(struct check_limit *limit, struct ip_address ip, int64_t now_ms)
{
    rate_limit_take(&limit->address_failures, ip, now_ms);
    rate_limit_take(&limit->network_failures, ip, now_ms);
}
