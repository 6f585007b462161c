// SPDX-License-Identifier: MIT
// Validation of a datagram's ENet header and commands before ENet parses it. Rejects what a raim
// client does not send: fragments (ENet allocates by their claimed count), compressed payloads,
// connectionless packets, more commands than ENet puts into one datagram, and inconsistent lengths.
// Pure functions: no ENet, no state. Any thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ENet's own limit of commands in a datagram that it sends.
#define DATAGRAM_MAX_COMMANDS 32

// Why a datagram is rejected. datagram_check returns DATAGRAM_OK to DATAGRAM_COMMANDS; admission,
// the encrypted sessions and the peer guard return the rest.
enum datagram_verdict {
    DATAGRAM_OK,
    DATAGRAM_OVERSIZE,       // larger than a transport's MTU
    DATAGRAM_CONNECTIONLESS, // begins with FF FF
    DATAGRAM_MALFORMED,      // inconsistent lengths, flags that no client sets, no command, or
                             // from the address ::
    DATAGRAM_FRAGMENT,       // ENet commands 8 and 12
    DATAGRAM_COMPRESSED,
    DATAGRAM_COMMANDS,         // more than DATAGRAM_MAX_COMMANDS
    DATAGRAM_CONNECT_REQUESTS, // too many requests for a cookie
    DATAGRAM_COOKIE,           // a CONNECT or an INIT without a valid cookie
    DATAGRAM_CONNECT_RATE,     // a CONNECT too soon after others of its address
    DATAGRAM_CONNECTIONS,      // a CONNECT beyond the limit of its address or network
    DATAGRAM_INPUTS,           // more unreliable messages of a peer than a tick may have
    DATAGRAM_UNENCRYPTED, // plain although encryption is required or its sender has a session, or
                          // encrypted without a session
    DATAGRAM_FORGED,      // encrypted or INIT, and its authentication fails
    DATAGRAM_REPLAYED,    // encrypted and received before, or older than the replay window
    DATAGRAM_HANDSHAKES,  // an INIT or a credential beyond the limits of checks
    DATAGRAM_SESSIONS,    // an INIT without a free slot
    DATAGRAM_BANNED,      // from an address that the operator has banned
    DATAGRAM_ACCESS,      // an invalid credential, or none although the arena requires one
    DATAGRAM_PASSWORD,    // not the arena's password, or none
    DATAGRAM_BUDGET,      // of a peer or an address that has exceeded its rate
    DATAGRAM_AHEAD,       // a sequence number too far ahead, or too many commands that wait
    DATAGRAM_REPEATED,    // a command that is already queued
    DATAGRAM_ACKS,        // acknowledgements of nothing that was sent
    DATAGRAM_DISCONNECT,  // a plain DISCONNECT of a peer that is still sending
    DATAGRAM_GATEWAY_KEY, // an announcement without the tag of a configured key
    DATAGRAM_GATEWAY_SOCKET, // an announcement from another socket than it names
    DATAGRAM_GATEWAY_TIME,   // an announcement of another time, or not newer than the last one
    DATAGRAM_OVERTIME, // not a datagram: a tick ran out of time and left the rest in the kernel
    DATAGRAM_VERDICTS
};

// ENet's command numbers that clients send.
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

// The channel of ENet's own commands. Messages have channels 0 and 1.
#define WIRE_CONTROL 0xFF

// Checks a datagram by its bytes alone.
enum datagram_verdict datagram_check(const uint8_t *data, size_t size);

// The fields of a CONNECT that admission reads.
struct datagram_connect {
    uint32_t id;     // ENet's connection id, in the bytes' order on the wire
    uint32_t cookie; // ENet's `data` of the CONNECT
};

// Whether a datagram that is DATAGRAM_OK is a CONNECT. A CONNECT is alone in its datagram.
bool datagram_is_connect(const uint8_t *data, size_t size, struct datagram_connect *connect);

// Limits the MTU of a CONNECT, which the server's answer grants.
void datagram_limit_mtu(uint8_t *connect, uint32_t least, uint32_t most);

// Overwrites the limits in a CONNECT, or in a BANDWIDTH_LIMIT or THROTTLE_CONFIGURE command, with
// ENet's defaults, so that no client, and no one who forges its address, can throttle the server.
void datagram_unlimit_connect(uint8_t *connect);
void datagram_unlimit(uint8_t *command);

// The ENet peer and session that a datagram names as its sender.
struct datagram_sender {
    uint16_t peer;
    uint8_t session;
};

// Reads the sender of a received datagram that is DATAGRAM_OK, or the receiver of a datagram that
// the server sends.
struct datagram_sender datagram_sender(const uint8_t *data);

// Overwrites the peer that a datagram names.
void datagram_set_peer(uint8_t *data, uint16_t peer);

// Overwrites the peer number that a CONNECT asks the server to use in its datagrams. Returns the
// previous one.
uint16_t datagram_rename_connect(uint8_t *connect, uint16_t peer);

// The sent time of a datagram that is DATAGRAM_OK, in the sender's milliseconds; 0 if it has none.
uint16_t datagram_sent_time(const uint8_t *data);

// An unreliable message: its sequence number, and that of the last reliable one of its channel.
struct datagram_message {
    uint16_t reliable, unreliable;
    const uint8_t *data;
    size_t size;
};

// Bytes before the message of a datagram that carries one unreliable message.
#define DATAGRAM_MESSAGE_HEADER 10

// Whether a datagram, of any bytes, is DATAGRAM_OK and carries one unreliable message of channel 1
// and nothing else. `message` points into the datagram.
bool datagram_read_message(const uint8_t *data, size_t size, struct datagram_message *message);

// Writes the header of such a datagram, which the message's bytes follow.
void datagram_write_message(struct datagram_sender sender, const struct datagram_message *message,
                            uint8_t header[DATAGRAM_MESSAGE_HEADER]);

// A command in a datagram that is DATAGRAM_OK.
struct datagram_command {
    size_t at, size; // offset in the datagram; bytes with its message
    enum wire_command number;
    bool is_reliable; // the receiver acknowledges it
    uint8_t channel;
    uint16_t sequence; // reliable sequence number
    uint16_t argument; // the acknowledged, or the unreliable, sequence number
    size_t message_size;
};

// Reads the first command, or the one after `command`. False at the end.
bool datagram_first(const uint8_t *data, size_t size, struct datagram_command *command);
bool datagram_next(const uint8_t *data, size_t size, struct datagram_command *command);

// The verdict's name in the status, the metrics and the log ("fragment", ...).
const char *datagram_verdict_name(enum datagram_verdict verdict);
