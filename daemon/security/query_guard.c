// SPDX-License-Identifier: MIT
// Checks a query in the order of cost: its format, its rate, its challenge.
#include "query_guard.h"

void query_guard_init(struct query_guard *guard, uint64_t hash,
                      const uint8_t secret[CHALLENGE_SECRET_BYTES])
{
    challenge_init(&guard->challenge, secret);
    rate_limit_init(&guard->limit, RATE_OF_NETWORK, QUERY_GUARD_PER_NETWORK, QUERY_GUARD_OF_ALL,
                    hash);
}

enum query_verdict query_guard_judge(struct query_guard *guard, struct udp_address from,
                                     const uint8_t *data, size_t size, int64_t now_ms,
                                     enum query_kind *kind, uint8_t reply[QUERY_CHALLENGE_REPLY])
{
    const struct query query = query_read(data, size);
    if (query.kind == QUERY_NONE)
        return QUERY_REFUSED;
    if (!rate_limit_take(&guard->limit, from.ip, now_ms))
        return QUERY_LIMITED;
    if (!challenge_verify(&guard->challenge, CHALLENGE_QUERY, from, query.challenge, now_ms)) {
        query_write_challenge(challenge_compute(&guard->challenge, CHALLENGE_QUERY, from, now_ms),
                              reply);
        return QUERY_CHALLENGED;
    }
    *kind = query.kind;
    return QUERY_ADMITTED;
}
