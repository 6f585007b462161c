// SPDX-License-Identifier: MIT
// Looks at a whole datagram before ENet does and refuses what a client of ours never sends:
// fragments (ENet allocates by their claimed count), compressed payloads, connectionless packets,
// more commands than ENet puts into one, and anything whose command lengths do not add up. Pure: no
// ENet, no state.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ENet's own limit when it sends.
#define DATAGRAM_MAX_COMMANDS 32

enum datagram_verdict {
    DATAGRAM_OK,
    DATAGRAM_OVERSIZE,       // larger than a transport's MTU
    DATAGRAM_CONNECTIONLESS, // begins with FF FF
    DATAGRAM_MALFORMED,      // lengths that do not add up, flags that no client sets, no message
    DATAGRAM_FRAGMENT,       // ENet commands 8 and 12
    DATAGRAM_COMPRESSED,
    DATAGRAM_COMMANDS,    // more than DATAGRAM_MAX_COMMANDS
    DATAGRAM_KNOCKS,      // for a ticket, too many; like the rest, not by its bytes alone
    DATAGRAM_TICKET,      // a CONNECT without a right one
    DATAGRAM_CHURN,       // a CONNECT too soon after others of its address
    DATAGRAM_CONNECTIONS, // a CONNECT of an address or network that has all it may have
    DATAGRAM_INPUTS,      // unreliable messages of a peer, too many for a tick
    DATAGRAM_UNSEALED,    // a plain one where all are sealed, or of no session
    DATAGRAM_FORGED,      // not sealed by who has the keys, or changed on its way
    DATAGRAM_REPLAYED,    // sealed, but it came before, or is too old to know
    DATAGRAM_SESSIONS,    // begins a sealed session, too many
    DATAGRAM_VERDICTS
};

enum datagram_verdict datagram_check(const uint8_t *data, size_t size);

// What a CONNECT names.
struct datagram_connect {
    uint32_t id;     // ENet's, of the connection, in network byte order
    uint32_t ticket; // the caller's `data`
};

// Whether a DATAGRAM_OK is a CONNECT; it is then nothing else, and of one size.
bool datagram_is_connect(const uint8_t *data, size_t size, struct datagram_connect *connect);

// Makes a CONNECT name another MTU.
void datagram_set_mtu(uint8_t *connect, uint32_t mtu);

// The name of a verdict in the status ("fragment", ...).
const char *datagram_verdict_name(enum datagram_verdict verdict);
