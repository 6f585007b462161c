// SPDX-License-Identifier: MIT
// Looks at a whole datagram before ENet does and refuses what a client of ours never sends:
// fragments (ENet allocates by their claimed count), compressed payloads, connectionless packets,
// and anything whose command lengths do not add up. Pure: no ENet, no state.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum datagram_verdict {
    DATAGRAM_OK,
    DATAGRAM_OVERSIZE,       // larger than a transport's MTU
    DATAGRAM_CONNECTIONLESS, // begins with FF FF
    DATAGRAM_MALFORMED,      // lengths that do not add up, flags that no client sets, no message
    DATAGRAM_FRAGMENT,       // ENet commands 8 and 12
    DATAGRAM_COMPRESSED,
    DATAGRAM_VERDICTS
};

enum datagram_verdict datagram_check(const uint8_t *data, size_t size);

// The name of a verdict in the status ("fragment", ...).
const char *datagram_verdict_name(enum datagram_verdict verdict);
