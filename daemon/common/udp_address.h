// SPDX-License-Identifier: MIT
// An IP address and UDP port.
#pragma once

#include "ip_address.h"

#include <stdbool.h>
#include <stdint.h>

struct udp_address {
    struct ip_address ip;
    struct ip_address local; // the server's address that it sends to; none: any. Not compared
    uint32_t scope;          // the interface of a link-local IPv6 address; else 0
    uint16_t port;           // in the machine's byte order
};

// `address` is in the machine's byte order.
static inline struct udp_address udp_address_v4(uint32_t address, uint16_t port)
{
    return (struct udp_address){.ip = ip_address_v4(address), .port = port};
}

static inline bool udp_address_equal(struct udp_address a, struct udp_address b)
{
    return ip_address_equal(a.ip, b.ip) && a.scope == b.scope && a.port == b.port;
}

// A multilinear hash, whose upper bits are the best (Thorup, High speed hashing for integers and
// strings, 2015). Without its secret nobody can choose addresses that collide.
struct udp_address_hash {
    uint64_t high, low, end; // odd
};

// The multipliers are numbers of SplitMix64 (Steele, Lea and Flood, 2014). `secret` is random and
// known only to this process.
static inline uint64_t udp_address_hash_next(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ mixed >> 31;
}

static inline struct udp_address_hash udp_address_hash_init(uint64_t secret)
{
    struct udp_address_hash hash;
    hash.high = udp_address_hash_next(&secret) | 1;
    hash.low = udp_address_hash_next(&secret) | 1;
    hash.end = udp_address_hash_next(&secret) | 1;
    return hash;
}

static inline uint64_t udp_address_hash_of(const struct udp_address_hash *hash,
                                           struct udp_address address)
{
    return address.ip.high * hash->high + address.ip.low * hash->low +
           ((uint64_t)address.scope << 16 | address.port) * hash->end;
}
