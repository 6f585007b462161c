// SPDX-License-Identifier: MIT
// What every message shares: kinds and reasons. A message is one ENet packet; its first bits
// are its kind: 1 for SNAPSHOT, the most frequent one, 0 and four bits for the others. PROTOCOL.md
// is the specification.
#pragma once

#include "bits.h"
#include "wire_limits.h"

#define RAIM_PROTOCOL_VERSION 5

// Coordinates are signed multiples of 1/32 unit.
#define RAIM_WIRE_UNITS 32
#define RAIM_WIRE_COORDINATE_BITS 20

enum raim_message_kind {
    RAIM_MESSAGE_HELLO = 1, // client to server, reliable
    RAIM_MESSAGE_INPUT,     // client to server, unreliable
    RAIM_MESSAGE_WELCOME,   // server to client, reliable, like all that follow but SNAPSHOT
    RAIM_MESSAGE_OBSTACLES,
    RAIM_MESSAGE_ROSTER,
    RAIM_MESSAGE_EVENTS,
    RAIM_MESSAGE_SNAPSHOT, // unreliable
    RAIM_MESSAGE_GOODBYE,  // either way, reliable; before a welcome it is the refusal
    RAIM_MESSAGE_CHAT,     // client to server, reliable
};

// Why a connection ends, in GOODBYE and in ENet's disconnect data.
enum raim_reason {
    RAIM_REASON_NONE,
    RAIM_REASON_LEFT,      // the client left
    RAIM_REASON_LOST,      // the connection broke
    RAIM_REASON_SHUTDOWN,  // the server ends
    RAIM_REASON_VERSION,   // another protocol version
    RAIM_REASON_FULL,      // every place is taken
    RAIM_REASON_NAME,      // a name that cannot be shown
    RAIM_REASON_SILENT,    // no hello in time
    RAIM_REASON_MALFORMED, // a hello that cannot be read
    RAIM_REASON_RESUMED,   // the session goes on in another connection
    RAIM_REASON_KICKED,    // the operator ended it
    RAIM_REASON_DRAINING,  // nobody is let in before the server ends
    RAIM_REASON_BANNED,    // the operator lets nobody in from there
    RAIM_REASON_RESTART,   // the server ends, and its next life may know the session again
    RAIM_REASON_ACCESS,    // the arena wants an access token, and this is none for it
    RAIM_REASON_IDLE,      // pressed nothing for too long while the arena was full
    RAIM_REASONS
};

// A short name ("shutdown") for logs and tables; "unknown" beyond the known ones.
const char *raim_reason_name(uint32_t reason);

// A writer of `bytes`, which it borrows, behind the kind of the message.
raim_writer raim_message_write(enum raim_message_kind kind, uint8_t *bytes, size_t capacity);

// Reads the kind of a message, after which the reader stands behind it. Returns 0, or a number that
// is no enum raim_message_kind, for bytes that are no message.
uint32_t raim_message_read(raim_reader *reader);
