// SPDX-License-Identifier: MIT
// An IPv4 address and UDP port.
#pragma once

#include <stdint.h>

// Both in the machine's byte order.
struct udp_address {
    uint32_t address; // IPv4
    uint16_t port;
};
