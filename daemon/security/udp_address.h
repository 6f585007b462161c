// SPDX-License-Identifier: MIT
// Where a datagram comes from or goes to.
#pragma once

#include <stdint.h>

// Both in the machine's byte order.
struct udp_address {
    uint32_t address; // IPv4
    uint16_t port;
};
