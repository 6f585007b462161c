// SPDX-License-Identifier: MIT
// Admission to expensive checks, which are those of signatures and handshakes. Failed handshakes
// count for their address and network: after too many failures, requests from there are rejected
// unread. Addresses and networks share the remaining checks by what each has used: the fewer tokens
// the bucket of all holds, the less of its own share an address may have used. The last part of
// that bucket is reserved for addresses that have a session to resume. No sockets; time comes from
// the caller.
//
// An attack also shuts out, while it lasts, the players at the attacker's address (an IPv4 address
// or IPv6 /64) and newcomers of its network (an IPv4 /24 or IPv6 /48). If more networks attack than
// the shares of checks feed (see check_limit.c), newcomers are delayed, but clients that resume
// from their previous address are not.
#pragma once

#include "ip_address.h"
#include "rate_limit.h"

#include <stdbool.h>
#include <stdint.h>

// One check every 2 ms, and 100 at once. A check takes 0.1 to 0.3 ms (./dev bench encryption), so
// checks take at most a burst in a tick and 10 % of a CPU.
#define CHECK_LIMIT_OF_ALL ((struct rate){.interval = 2, .burst = 100})

// Failed handshakes: an address may have 10, and then one in 2 s; a network 40, and then one in 0.5
// s. An honest client fails once, if the arena's offer changes while it connects.
#define CHECK_LIMIT_FAILURES_OF_ADDRESS ((struct rate){.interval = 2000, .burst = 10})
#define CHECK_LIMIT_FAILURES_OF_NETWORK ((struct rate){.interval = 500, .burst = 40})

struct check_limit {
    struct rate_limit address_failures, network_failures;
    struct rate_limit address_shares, network_shares;
    rate_bucket all;
};

// Tells whether an address has a session to resume. It is called only if that decides.
struct check_limit_known {
    bool (*is_known)(void *context, struct ip_address ip); // NULL: no address has
    void *context;
};

void check_limit_init(struct check_limit *limit, uint64_t secret);

// Whether a check may be made. Counts the check if so. `now_ms` never decreases.
bool check_limit_take(struct check_limit *limit, struct ip_address ip,
                      const struct check_limit_known *known, int64_t now_ms);

// Counts a check that failed.
void check_limit_fail(struct check_limit *limit, struct ip_address ip, int64_t now_ms);
