// SPDX-License-Identifier: MIT
// Checks a query in the order of cost: its format, its rate, its challenge.
#include "query_guard.h"

#include <assert.h>
#include <string.h>

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
        return QUERY_REJECTED;
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

// Every request and every reply begins with four bytes of 0xFF and a letter.
enum {
    PREFIX_SIZE = 4,
    HEADER_SIZE = 5,
    CHALLENGE_SIZE = 4,
    INFO_REQUEST = 'T',
    PLAYERS_REQUEST = 'U',
    RULES_REQUEST = 'V',
    CHALLENGE_REPLY = 'A',
};

static_assert(QUERY_CHALLENGE_REPLY == HEADER_SIZE + CHALLENGE_SIZE,
              "a challenge reply is a header and a challenge");

static const uint8_t prefix[PREFIX_SIZE] = {0xFF, 0xFF, 0xFF, 0xFF};
static const char info_words[] = "Source Engine Query"; // sent with its NUL

static uint32_t read_32(const uint8_t *data)
{
    return (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 |
           (uint32_t)data[3] << 24;
}

struct query query_read(const uint8_t *data, size_t size)
{
    struct query query = {.kind = QUERY_NONE, .challenge = QUERY_NO_CHALLENGE};
    if (size < HEADER_SIZE + CHALLENGE_SIZE || memcmp(data, prefix, sizeof prefix) != 0)
        return query;
    const uint8_t *rest = data + HEADER_SIZE;
    size_t left = size - HEADER_SIZE;
    switch (data[PREFIX_SIZE]) {
    case INFO_REQUEST:
        if (left < sizeof info_words || memcmp(rest, info_words, sizeof info_words) != 0)
            return query;
        rest += sizeof info_words;
        left -= sizeof info_words;
        query.kind = QUERY_INFO;
        break;
    case PLAYERS_REQUEST:
        query.kind = QUERY_PLAYERS;
        break;
    case RULES_REQUEST:
        query.kind = QUERY_RULES;
        break;
    default:
        return query;
    }
    if (left >= CHALLENGE_SIZE)
        query.challenge = read_32(rest);
    return query;
}

size_t query_write_challenge(uint32_t challenge, uint8_t reply[QUERY_CHALLENGE_REPLY])
{
    memcpy(reply, prefix, sizeof prefix);
    reply[PREFIX_SIZE] = CHALLENGE_REPLY;
    for (int i = 0; i < CHALLENGE_SIZE; i++)
        reply[HEADER_SIZE + i] = (uint8_t)(challenge >> 8 * i);
    return QUERY_CHALLENGE_REPLY;
}
