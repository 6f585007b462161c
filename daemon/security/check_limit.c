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

enum { MS_PER_S = 1000, US_PER_MS = 1000, US_PER_S = 1000000, BURST_S = 4, ROW_BITS = 9 };

static_assert(1 << ROW_BITS == CONNECT_RATE_ROWS, "the hash's range");

void connect_rate_init(struct connect_rate *limiter, uint32_t per_second, uint64_t secret)
{
    assert(per_second >= 1 && per_second <= MS_PER_S);
    const struct rate rate = {MS_PER_S / per_second, per_second};
    const struct rate first = {rate.interval, BURST_S * rate.burst};
    // In us, because a network may have more than one token a millisecond.
    const struct rate of_network = {
        US_PER_S / (CONNECT_RATE_OF_NETWORK * (int64_t)per_second),
        BURST_S * CONNECT_RATE_OF_NETWORK * (int64_t)per_second,
    };
    // There is no limit of all addresses: address validation by cookies bounds that sum.
    rate_limit_init(&limiter->networks, RATE_OF_NETWORK, of_network, RATE_UNLIMITED, secret);
    rate_limit_init(&limiter->initial, RATE_OF_ADDRESS, first, RATE_UNLIMITED, secret);
    rate_limit_init(&limiter->retries, RATE_OF_ADDRESS, rate, RATE_UNLIMITED, secret);
    limiter->hash = udp_address_hash_init(secret);
    limiter->multiplier = secret | 1;
    memset(limiter->pending, 0, sizeof limiter->pending);
}

// Finds the connection's entry, or replaces the row's oldest entry by one that begins now.
static const struct connect_rate_pending *find(struct connect_rate *limiter, uint64_t hash,
                                               uint32_t now_ms)
{
    struct connect_rate_pending *row = limiter->pending[hash >> (64 - ROW_BITS)];
    struct connect_rate_pending *oldest = row;
    const uint32_t mark = (uint32_t)(hash >> 16) | 1;
    for (struct connect_rate_pending *entry = row; entry < row + CONNECT_RATE_IN_ROW; entry++) {
        if (entry->mark == mark)
            return entry;
        if (entry->mark == 0 || now_ms - entry->since_ms > now_ms - oldest->since_ms)
            oldest = entry;
    }
    *oldest = (struct connect_rate_pending){mark, now_ms};
    return oldest;
}

bool connect_rate_admit(struct connect_rate *limiter, struct udp_address from, uint32_t connection,
                        int64_t now_ms)
{
    // The address's own bucket comes first, so that one /64 cannot drain that of its network.
    if (rate_limit_take(&limiter->initial, from.ip, now_ms) &&
        (ip_address_is_v4(ip_address_untranslated(from.ip)) ||
         rate_limit_take(&limiter->networks, from.ip, now_ms * US_PER_MS)))
        return true;
    // Multiplied twice: in a plain sum, a change of the address could cancel one of the connection.
    const uint64_t source = udp_address_hash_of(&limiter->hash, from);
    const uint64_t hash = (source ^ source >> 32 ^ connection) * limiter->multiplier;
    const uint32_t now = (uint32_t)now_ms;
    return now - find(limiter, hash, now)->since_ms >= CONNECT_RATE_RETRY_MS &&
           rate_limit_take(&limiter->retries, from.ip, now_ms);
}
