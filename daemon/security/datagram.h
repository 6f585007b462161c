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
    DATAGRAM_COMMANDS,         // more than DATAGRAM_MAX_COMMANDS
    DATAGRAM_CONNECT_REQUESTS, // for a cookie, too many; like the rest, not by its bytes alone
    DATAGRAM_COOKIE,           // a CONNECT without a right one
    DATAGRAM_CHURN,            // a CONNECT too soon after others of its address
    DATAGRAM_CONNECTIONS,      // a CONNECT of an address or network that has all it may have
    DATAGRAM_INPUTS,           // unreliable messages of a peer, too many for a tick
    DATAGRAM_UNENCRYPTED,      // plain where encryption is required or its sender has a session, or
                               // encrypted but of no session
    DATAGRAM_FORGED,           // encrypted or INIT, not by who has the keys, or changed on its way
    DATAGRAM_REPLAYED,         // encrypted, but it came before, or is too old to know
    DATAGRAM_SESSIONS,   // an INIT or a credential too many, or an INIT for which there is no slot
    DATAGRAM_BANNED,     // of an address that the operator lets nobody in from
    DATAGRAM_ACCESS,     // a credential that lets nobody in, or none where one is wanted
    DATAGRAM_BUDGET,     // of a peer or an address that has sent more than it may
    DATAGRAM_AHEAD,      // a command whose sequence number is too far ahead, or as many that wait
    DATAGRAM_REPEATED,   // a command that waits for an earlier one already
    DATAGRAM_ACKS,       // acknowledgements that match nothing
    DATAGRAM_DISCONNECT, // a DISCONNECT in the name of a peer that is not silent
    DATAGRAM_OVERTIME,   // no datagram: a tick that left the rest in the kernel
    DATAGRAM_VERDICTS
};

// ENet's, as far as clients send them.
enum wire_command {
    WIRE_ACKNOWLEDGE = 1,
    WIRE_CONNECT = 2,
    WIRE_DISCONNECT = 4,
    WIRE_PING = 5,
    WIRE_SEND_RELIABLE = 6,
    WIRE_SEND_UNRELIABLE = 7,
    WIRE_SEND_UNSEQUENCED = 9,
    WIRE_BANDWIDTH_LIMIT = 10,
    WIRE_THROTTLE_CONFIGURE = 11,
};

// The channel of ENet's own commands; messages have channels 0 and 1.
#define WIRE_CONTROL 0xFF

enum datagram_verdict datagram_check(const uint8_t *data, size_t size);

// What a CONNECT names.
struct datagram_connect {
    uint32_t id;     // ENet's, of the connection, its bytes as they came
    uint32_t cookie; // the caller's `data`
};

// Whether a DATAGRAM_OK is a CONNECT; it is then nothing else, and of one size.
bool datagram_is_connect(const uint8_t *data, size_t size, struct datagram_connect *connect);

// Makes a CONNECT name another MTU.
void datagram_set_mtu(uint8_t *connect, uint32_t mtu);

// Makes a CONNECT, a BANDWIDTH_LIMIT command or a THROTTLE_CONFIGURE command say what ENet assumes
// anyway, so that nobody gets to say how much is sent to a peer.
void datagram_unlimit_connect(uint8_t *connect);
void datagram_unlimit(uint8_t *command);

// Which peer of ENet's a DATAGRAM_OK claims to be from, and its session.
struct datagram_sender {
    uint16_t peer;
    uint8_t session;
};

struct datagram_sender datagram_sender(const uint8_t *data);

// The time that the sender has put into a DATAGRAM_OK, to be echoed; 0 where there is none.
uint16_t datagram_sent_time(const uint8_t *data);

// A command of a DATAGRAM_OK.
struct datagram_command {
    size_t at, size; // in the datagram, with its message
    enum wire_command number;
    bool is_reliable; // to be acknowledged
    uint8_t channel;
    uint16_t sequence; // reliable
    uint16_t argument; // sequence number acknowledged, or unreliable one
    size_t message_size;
};

// The first command, or the one behind another. False at the end.
bool datagram_first(const uint8_t *data, size_t size, struct datagram_command *command);
bool datagram_next(const uint8_t *data, size_t size, struct datagram_command *command);

// The name of a verdict in the status ("fragment", ...).
const char *datagram_verdict_name(enum datagram_verdict verdict);
