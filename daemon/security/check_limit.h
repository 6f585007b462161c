// SPDX-License-Identifier: MIT
// Admission to expensive checks, of signatures and handshakes. A failed handshake costs its own
// address and network: after too many failures its requests are rejected unread. The checks that
// remain are shared among addresses and networks by what each has used: the less a bucket of all
// holds, the less of its own share an address must have used. The last part of that bucket is a
// reserve for addresses that have a session to resume. No sockets; time comes from the caller.
//
// Besides an attacker this shuts out, while the attack lasts: players at the attacker's own address
// (an IPv4 address or IPv6 /64), and newcomers of its network (an IPv4 /24 or IPv6 /48). With more
// attacking networks than the shares of checks feed (see check_limit.c) it delays newcomers, but
// nobody who resumes from the address he had.
#pragma once

#include "ip_address.h"
#include "rate_limit.h"

#include <stdbool.h>
#include <stdint.h>

// One check every 2 ms, and 100 at once: a check takes 0.1 to 0.3 ms (./dev bench encryption), so
// that this is at most a burst in a tick and 10 % of a CPU.
#define CHECK_LIMIT_OF_ALL ((struct rate){.interval = 2, .burst = 100})

// Failed handshakes: 10 per address, 40 per network, and then one in 2 s and one in 0.5 s. An
// honest client fails once, if the arena's offer changes while it connects.
#define CHECK_LIMIT_FAILURES_OF_ADDRESS ((struct rate){.interval = 2000, .burst = 10})
#define CHECK_LIMIT_FAILURES_OF_NETWORK ((struct rate){.interval = 500, .burst = 40})

struct check_limit {
    struct rate_limit address_failures, network_failures;
    struct rate_limit address_shares, network_shares;
    rate_bucket all;
};

// Whether an address has a session to resume. Called only where that decides.
struct check_limit_known {
    bool (*is_known)(void *context, struct ip_address ip); // NULL: no address has
    void *context;
};

void check_limit_init(struct check_limit *limit, uint64_t secret);

// Whether a check may be made, which it counts. `now_ms` never decreases.
bool check_limit_take(struct check_limit *limit, struct ip_address ip,
                      const struct check_limit_known *known, int64_t now_ms);

// Counts a check that failed.
void check_limit_fail(struct check_limit *limit, struct ip_address ip, int64_t now_ms);
