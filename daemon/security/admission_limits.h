// SPDX-License-Identifier: MIT
// Limits per address and network on connections and connect requests. One table makes the struct,
// the defaults and the keys of the configuration.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stdint.h>

// name, default, least, most, meaning
#define ADMISSION_LIMITS(LIMIT)                                                                    \
    LIMIT(connections_per_address, 16, 1, RAIM_MAX_PEERS,                                          \
          "connections that an IPv4 address or an IPv6 /64 may have at a time")                    \
    LIMIT(connections_per_network, 0, 0, RAIM_MAX_PEERS,                                           \
          "connections that a network (/24, IPv6 /48) may have; 0 for three quarters of "          \
          "max_players, but from 8 to 64")                                                         \
    LIMIT(connects_per_second, 5, 1, 1000,                                                         \
          "connections that an IPv4 address or an IPv6 /64 may begin in a second, four times as "  \
          "many at once; as many again are reserved for clients that retry after a rejection; an " \
          "IPv6 /48 has 16 times as many")                                                         \
    LIMIT(connect_requests_per_second, 2000, 1, 10000,                                             \
          "connect requests of a network (/24, IPv6 /48) in a second, twice as many at once")      \
    LIMIT(connect_requests_total, 10000, 1, 1000000,                                               \
          "connect requests of all addresses together that are answered in a second")              \
    LIMIT(inputs_per_tick, 32, 1, 1000,                                                            \
          "unreliable messages that are taken from a player within a tick")

#define LIMIT_MEMBER(name, ...) uint32_t name;
#define LIMIT_DEFAULT(name, value, ...) .name = value,

struct admission_limits {
    ADMISSION_LIMITS(LIMIT_MEMBER)
    bool loopback; // limit 127.0.0.0/8 and ::1 like any other network; inputs_per_tick always
                   // applies
};

#define ADMISSION_LIMITS_DEFAULT ((struct admission_limits){ADMISSION_LIMITS(LIMIT_DEFAULT)})
