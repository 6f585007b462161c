// SPDX-License-Identifier: MIT
// Message kinds and disconnect reasons. A message is one ENet packet that begins with its kind: the
// bit 1 for SNAPSHOT, the most frequent one, 0 and four bits for the others. PROTOCOL.md is the
// specification.
#pragma once

#include "bits.h"
#include "wire_limits.h"

#define RAIM_PROTOCOL_VERSION 7

// Coordinates are signed multiples of 1/32 unit.
#define RAIM_WIRE_UNITS 32
#define RAIM_WIRE_COORDINATE_BITS 20

enum raim_message_kind {
    RAIM_MESSAGE_HELLO = 1, // client to server, reliable
    RAIM_MESSAGE_INPUT,     // client to server, unreliable
    RAIM_MESSAGE_WELCOME,   // server to client, reliable, like all that follow but the next two
    RAIM_MESSAGE_OBSTACLES,
    RAIM_MESSAGE_ROSTER,
    RAIM_MESSAGE_EVENTS,        // unreliable and repeated until acknowledged; a SNAPSHOT may follow
    RAIM_MESSAGE_SNAPSHOT,      // unreliable
    RAIM_MESSAGE_GOODBYE,       // both directions, reliable; before a WELCOME it is a rejection
    RAIM_MESSAGE_CHAT,          // client to server, reliable
    RAIM_MESSAGE_CHAT_REJECTED, // server to client, reliable
    RAIM_MESSAGE_WATCH,         // client to server, reliable
    RAIM_MESSAGE_PINGS,         // server to client, unreliable
    RAIM_MESSAGE_VOTE,          // both directions, reliable
    RAIM_MESSAGE_NOTICE,        // both directions, reliable
    RAIM_MESSAGE_KINDS, // from here to 15: kinds of later servers and clients, to be ignored
};

#define RAIM_MESSAGE_MAX_KIND 15

// The epoch of a connection: the number of its WELCOMEs, modulo 2^RAIM_EPOCH_BITS. WELCOME, EVENTS
// and whole SNAPSHOTs contain it, because a message on the unreliable channel may overtake a
// WELCOME or arrive after it.
#define RAIM_EPOCH_BITS 5

// Bits of `capabilities` in HELLO and WELCOME.
enum {
    RAIM_CAPABILITY_PINGS = 1, // HELLO: the client wants PINGS; WELCOME: the server sends them
    RAIM_CAPABILITY_VOTES = 2, // HELLO: the client wants VOTE; WELCOME: the server understands it
    RAIM_CAPABILITY_ADMIN = 4, // HELLO: the client reads NOTICE; WELCOME: so does the server
};

// Why a connection ends, in GOODBYE and in ENet's disconnect data.
enum raim_reason {
    RAIM_REASON_NONE,
    RAIM_REASON_LEFT,      // the client left
    RAIM_REASON_LOST,      // the connection broke
    RAIM_REASON_SHUTDOWN,  // the server ends
    RAIM_REASON_VERSION,   // another protocol version
    RAIM_REASON_FULL,      // every slot is taken
    RAIM_REASON_NAME,      // a name that is not permitted
    RAIM_REASON_SILENT,    // no HELLO in time
    RAIM_REASON_MALFORMED, // a malformed HELLO
    RAIM_REASON_RESUMED,   // the session goes on in another connection
    RAIM_REASON_KICKED,    // the operator ended it
    RAIM_REASON_DRAINING,  // new clients are not admitted before the server ends
    RAIM_REASON_BANNED,    // the client's address is banned
    RAIM_REASON_RESTART,   // the server restarts and may then resume the session
    RAIM_REASON_ACCESS,    // no valid access token
    RAIM_REASON_IDLE,      // evicted from a full arena, because it was idle
    RAIM_REASON_CHANNELS,  // connected with fewer than two channels
    RAIM_REASON_PASSWORD,  // not the arena's password, or none
    RAIM_REASONS
};

// A short name ("shutdown") for logs and tables; "unknown" for other numbers.
const char *raim_reason_name(uint32_t reason);

// What a GOODBYE says to the player, where no person gave a reason. The version's and the number of
// players follow the text of RAIM_REASON_VERSION and RAIM_REASON_FULL.
const char *raim_reason_text(enum raim_reason reason);

// A writer of `bytes`, which it borrows. It stands after the kind of the message.
raim_writer raim_message_write(enum raim_message_kind kind, uint8_t *bytes, size_t capacity);

// Reads the kind of a message: 1 to RAIM_MESSAGE_MAX_KIND, of which those from RAIM_MESSAGE_KINDS
// on are unknown here; 0 for bytes that are no message.
uint32_t raim_message_read(raim_reader *reader);
