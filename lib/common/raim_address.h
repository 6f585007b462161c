// SPDX-License-Identifier: MIT
// The address of one end of UDP.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct raim_address {
    bool is_ipv6;
    uint8_t bytes[16]; // of IPv4: the first four
    uint32_t scope;    // of a link-local address of IPv6: the interface
    uint16_t port;
};

// Whether two addresses are of one host; interfaces and ports do not count.
static inline bool raim_address_is_same_host(const struct raim_address *a,
                                             const struct raim_address *b)
{
    return a->is_ipv6 == b->is_ipv6 && memcmp(a->bytes, b->bytes, a->is_ipv6 ? 16 : 4) == 0;
}

static inline bool raim_address_is_same(const struct raim_address *a, const struct raim_address *b)
{
    return a->port == b->port && raim_address_is_same_host(a, b);
}
