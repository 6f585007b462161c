// SPDX-License-Identifier: MIT
// Keeps the keys of tickets and the rates of strangers.
#include "gate.h"

#include <arpa/inet.h>
#include <assert.h>
#include <string.h>
#include <sys/random.h>

enum { US_PER_MS = 1000, US_PER_S = 1000000, KNOCK_BURST_S = 2, LOOPBACK = 127 };

static_assert(QUERY_CHALLENGE_REPLY <= RAIM_TICKET_BYTES, "either is a reply");

void gate_init(struct gate *gate, uint16_t port)
{
    memset(gate, 0, sizeof *gate);
    gate->port = port;
    query_guard_init(&gate->queries);
    gate_limit(gate, &GATE_LIMITS_DEFAULT);
}

static bool is_same(const struct gate_limits *a, const struct gate_limits *b)
{
#define IS_SAME(name, ...) &&a->name == b->name
    return a->loopback == b->loopback GATE_LIMITS(IS_SAME);
#undef IS_SAME
}

void gate_limit(struct gate *gate, const struct gate_limits *limits)
{
    if (is_same(&gate->limits, limits))
        return; // or whoever has used up its tokens would have new ones
    // Without a random number the hashes are known, which costs fairness among sources alone.
    uint64_t secret;
    if (getrandom(&secret, sizeof secret, 0) != sizeof secret)
        secret = 0x9E3779B97F4A7C15u;
    gate->limits = *limits;
    const struct rate of_network = {US_PER_S / limits->knocks_per_second,
                                    KNOCK_BURST_S * limits->knocks_per_second};
    const struct rate of_all = {US_PER_S / limits->knocks_in_all, limits->knocks_in_all};
    rate_limit_init(&gate->knocks, RATE_OF_NETWORK, of_network, of_all, secret);
    churn_init(&gate->churn, limits->connects_per_second, secret);
}

bool gate_is_limited(const struct gate *gate, uint32_t address)
{
    return gate->limits.loopback || ntohl(address) >> 24 != LOOPBACK;
}

static void refuse(struct gate_answer *answer, enum datagram_verdict refusal)
{
    answer->verdict = GATE_REFUSED;
    answer->refusal = refusal;
}

static void hear_knock(struct gate *gate, struct query_source from, int64_t now_us,
                       struct gate_answer *answer)
{
    if ((gate_is_limited(gate, from.address) &&
         !rate_limit_take(&gate->knocks, ntohl(from.address), now_us)) ||
        !challenge_refresh(&gate->tickets, now_us / US_PER_MS)) {
        refuse(answer, DATAGRAM_KNOCKS);
        return;
    }
    struct raim_ticket ticket = gate->offer;
    ticket.ticket = challenge_of(&gate->tickets, from.address, gate->port);
    answer->verdict = GATE_ANSWERED;
    answer->size = raim_ticket_write(&ticket, answer->reply);
}

void gate_hear(struct gate *gate, struct query_source from, const uint8_t *data, size_t size,
               int64_t now_us, struct gate_answer *answer)
{
    if (raim_knock_kind(data, size) == RAIM_KNOCK_KNOCK) {
        if (raim_knock_read(data, size))
            hear_knock(gate, from, now_us, answer);
        else
            refuse(answer, DATAGRAM_CONNECTIONLESS);
        return;
    }
    if (!gate->admits_queries) {
        refuse(answer, DATAGRAM_CONNECTIONLESS);
        return;
    }
    switch (query_guard_judge(&gate->queries, from, data, size, now_us / US_PER_MS, &answer->query,
                              answer->reply)) {
    case QUERY_REFUSED:
        refuse(answer, DATAGRAM_CONNECTIONLESS);
        break;
    case QUERY_LIMITED:
        answer->verdict = GATE_DROPPED;
        break;
    case QUERY_CHALLENGED:
        answer->verdict = GATE_TOLD;
        answer->size = QUERY_CHALLENGE_REPLY;
        break;
    case QUERY_ADMITTED:
        answer->verdict = GATE_ASKED;
        break;
    }
}

bool gate_has_told(struct gate *gate, uint32_t address, uint32_t ticket, int64_t now_us)
{
    return !gate->wants_tickets || (challenge_refresh(&gate->tickets, now_us / US_PER_MS) &&
                                    challenge_is_met(&gate->tickets, address, gate->port, ticket));
}

enum datagram_verdict gate_admit(struct gate *gate, struct query_source from,
                                 struct datagram_connect connect, int64_t now_us)
{
    const int64_t now_ms = now_us / US_PER_MS;
    if (!gate_has_told(gate, from.address, connect.ticket, now_us))
        return DATAGRAM_TICKET;
    if (gate_is_limited(gate, from.address) &&
        !churn_admit(&gate->churn, ntohl(from.address), from.port, connect.id, now_ms))
        return DATAGRAM_CHURN;
    return DATAGRAM_OK;
}
