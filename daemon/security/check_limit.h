// SPDX-License-Identifier: MIT
// Admission to expensive checks, of signatures and handshakes. A failed handshake costs its own
// address and network: whoever has failed too often is rejected unseen. The checks that remain are
// shared among addresses and networks by what each has used: the less a bucket of all holds, the
// less of its own share an address must have used. The last part of that bucket is a reserve for
// addresses that have a session to resume. No sockets; time comes from the caller.
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

// Failed handshakes: 10 of an address, 40 of a network, and then one in 2 s and one in 0.5 s. An
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

// Rate limit of new connections per address. A client that connects a thousand times a second may
// share its address (NAT) with honest players, so an address has two token buckets. A first CONNECT
// draws from the first bucket. When that is empty, a CONNECT that is repeated for the same
// connection CONNECT_RATE_RETRY_MS later, as ENet repeats it by itself, draws from the second,
// which clients that never retry cannot drain. Attackers that retry as patiently share the second
// bucket with honest clients. An address is an IPv4 address or an IPv6 /64; because a site may have
// 2^16 of these, an IPv6 network (/48) has a third bucket, of CONNECT_RATE_OF_NETWORK addresses,
// from which its first CONNECTs draw too. Fixed memory; time comes from the caller.

// ENet repeats a CONNECT after 500 ms, 1 s more, 2 s more.
#define CONNECT_RATE_RETRY_MS 300

// Rejected connections are stored in a hash table with a secret multiplier. Each of
// CONNECT_RATE_ROWS rows keeps the newest CONNECT_RATE_IN_ROW, which holds every connection of the
// last two seconds at a thousand new connections a second.
#define CONNECT_RATE_ROWS 512
#define CONNECT_RATE_IN_ROW 8

// The rate of an IPv6 network, in those of one address.
#define CONNECT_RATE_OF_NETWORK 16

struct connect_rate_pending {
    uint32_t mark; // hash of the connection; 0: empty
    uint32_t since_ms;
};

struct connect_rate {
    struct rate_limit initial, retries, networks;
    struct udp_address_hash hash;
    uint64_t multiplier; // of connection ids
    struct connect_rate_pending pending[CONNECT_RATE_ROWS][CONNECT_RATE_IN_ROW];
};

// Each bucket of an address refills at `per_second` (1 to 1000) tokens a second. The first holds a
// burst of four seconds, the second of one. `secret` is random and known only to this process.
void connect_rate_init(struct connect_rate *limiter, uint32_t per_second, uint64_t secret);

// Whether a connection may begin. ENet's connection id may be in any byte order that is the same in
// every call. `now_ms` never decreases.
bool connect_rate_admit(struct connect_rate *limiter, struct udp_address from, uint32_t connection,
                        int64_t now_ms);
