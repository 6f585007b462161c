// SPDX-License-Identifier: MIT
// Two token buckets of each address, and a table of who waits.
#include "connect_rate.h"

#include <assert.h>
#include <string.h>

enum { MS_PER_S = 1000, BURST_S = 4, ROW_BITS = 9 };

static_assert(1 << ROW_BITS == CONNECT_RATE_ROWS, "the hash's range");

void connect_rate_init(struct connect_rate *churn, uint32_t per_second, uint64_t secret)
{
    assert(per_second >= 1 && per_second <= MS_PER_S);
    // Both buckets together bound what comes in; all addresses together are bound by their
    // address_validation.
    const struct rate everybody = {1, 1 << 20};
    const struct rate rate = {MS_PER_S / per_second, per_second};
    const struct rate first = {rate.interval, BURST_S * rate.burst};
    rate_limit_init(&churn->comers, RATE_OF_ADDRESS, first, everybody, secret);
    rate_limit_init(&churn->waiters, RATE_OF_ADDRESS, rate, everybody, secret);
    churn->multiplier = secret | 1;
    memset(churn->waiting, 0, sizeof churn->waiting);
}

// Where the connection is remembered; one that is new is, from now on, instead of the oldest.
static const struct connect_rate_waiter *find(struct connect_rate *churn, uint64_t hash,
                                              uint32_t now_ms)
{
    struct connect_rate_waiter *row = churn->waiting[hash >> (64 - ROW_BITS)];
    struct connect_rate_waiter *oldest = row;
    const uint32_t mark = (uint32_t)(hash >> 16) | 1;
    for (struct connect_rate_waiter *waiter = row; waiter < row + CONNECT_RATE_IN_ROW; waiter++) {
        if (waiter->mark == mark)
            return waiter;
        if (waiter->mark == 0 || now_ms - waiter->since_ms > now_ms - oldest->since_ms)
            oldest = waiter;
    }
    *oldest = (struct connect_rate_waiter){mark, now_ms};
    return oldest;
}

bool connect_rate_admit(struct connect_rate *churn, uint32_t address, uint16_t port,
                        uint32_t connection, int64_t now_ms)
{
    if (rate_limit_take(&churn->comers, address, now_ms))
        return true;
    // Twice multiplied, as a sum would let an address and a connection make up for each other.
    const uint64_t source = ((uint64_t)address << 16 | port) * churn->multiplier;
    const uint64_t hash = (source ^ source >> 32 ^ connection) * churn->multiplier;
    const uint32_t now = (uint32_t)now_ms;
    return now - find(churn, hash, now)->since_ms >= CONNECT_RATE_WAIT_MS &&
           rate_limit_take(&churn->waiters, address, now_ms);
}
