// SPDX-License-Identifier: MIT
// IP addresses of both families in one form: an IPv4 address is IPv4-mapped (::ffff:a.b.c.d, RFC
// 4291, section 2.5.5.2), as a dual-stack socket reports it, so that every rule for 1.2.3.4 meets
// ::ffff:1.2.3.4 too.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The first and the last 64 bits, in the machine's byte order. Both 0 (::) stands for no address.
struct ip_address {
    uint64_t high, low;
};

// Prefix lengths count from the first of 128 bits; those of IPv4 networks begin here.
enum { IP_V4_PREFIX = 96, IP_PREFIX_MAX = 128 };

#define IP_V4_MAPPED UINT64_C(0xFFFF)

// `address` is in the machine's byte order.
static inline struct ip_address ip_address_v4(uint32_t address)
{
    return (struct ip_address){.low = IP_V4_MAPPED << 32 | address};
}

static inline bool ip_address_is_v4(struct ip_address ip)
{
    return ip.high == 0 && ip.low >> 32 == IP_V4_MAPPED;
}

static inline bool ip_address_is_none(struct ip_address ip)
{
    return (ip.high | ip.low) == 0;
}

static inline bool ip_address_equal(struct ip_address a, struct ip_address b)
{
    return ((a.high ^ b.high) | (a.low ^ b.low)) == 0;
}

// Whether an address is of 127.0.0.0/8 or ::1.
static inline bool ip_address_is_loopback(struct ip_address ip)
{
    return ip_address_is_v4(ip) ? (ip.low >> 24 & 255) == 127 : ip.high == 0 && ip.low == 1;
}

// The IPv4 address that an address of 64:ff9b::/96 stands for (RFC 6052, section 2.1), as a
// translator in front of a host without IPv4 writes the sources of datagrams; any other address
// itself. Limits and bans count such a client by its IPv4 address: all of IPv4 is in one /64.
static inline struct ip_address ip_address_untranslated(struct ip_address ip)
{
    const bool is_translated = ip.high == UINT64_C(0x0064FF9B00000000) && ip.low >> 32 == 0;
    return is_translated ? ip_address_v4((uint32_t)ip.low) : ip;
}

// The part of an address that limits count as one host: an IPv4 address, or an IPv6 /64, because
// every host of a /64 can use all of its 2^64 addresses. Two hosts never have one number: that of
// an IPv4 address begins with 32 one bits, as only multicast addresses do, which send nothing.
static inline uint64_t ip_address_host(struct ip_address ip)
{
    ip = ip_address_untranslated(ip);
    return ip_address_is_v4(ip) ? ip.low | UINT64_C(0xFFFFFFFF) << 32 : ip.high;
}

// The part of an address that limits count as one network: an IPv4 /24, or an IPv6 /48, which is
// the most that a site is assigned (RFC 6177). Two networks never have one number.
static inline uint64_t ip_address_network(struct ip_address ip)
{
    return ip_address_host(ip) >> (ip_address_is_v4(ip_address_untranslated(ip)) ? 8 : 16);
}

struct udp_address {
    struct ip_address ip;
    struct ip_address local; // the server's address that it sends to; none: any. Not compared
    uint32_t scope;          // the interface of a link-local IPv6 address; else 0
    uint16_t port;           // in the machine's byte order
    uint16_t via;            // of a player behind a gateway: see gateways.h; else 0
};

// `address` is in the machine's byte order.
static inline struct udp_address udp_address_v4(uint32_t address, uint16_t port)
{
    return (struct udp_address){.ip = ip_address_v4(address), .port = port};
}

static inline bool udp_address_equal(struct udp_address a, struct udp_address b)
{
    return ip_address_equal(a.ip, b.ip) && a.scope == b.scope && a.port == b.port && a.via == b.via;
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
