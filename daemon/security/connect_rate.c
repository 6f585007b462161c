// SPDX-License-Identifier: MIT
// Two token buckets per address, and a table of rejected connections that may retry.
#include "connect_rate.h"

#include <assert.h>
#include <string.h>

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
