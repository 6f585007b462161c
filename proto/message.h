// SPDX-License-Identifier: MIT
// Message kinds, the messages of plain fields, and disconnect reasons. A message is one ENet packet
// that begins with its kind: the bit 1 for SNAPSHOT, the most frequent one, 0 and four bits for the
// others. PROTOCOL.md is the specification.
#pragma once

#include "fields.h"
#include "wire_limits.h"

#define RAIM_PROTOCOL_VERSION 7

// Coordinates are signed multiples of 1/32 unit.
#define RAIM_WIRE_UNITS 32
#define RAIM_WIRE_COORDINATE_BITS 20

// Every kind, from 1 on: MESSAGE(kind, sender, channel). Channel 0 is reliable, 1 is not.
#define RAIM_MESSAGES(MESSAGE)                                                                     \
    MESSAGE(HELLO, client, 0)                                                                      \
    MESSAGE(INPUT, client, 1)                                                                      \
    MESSAGE(WELCOME, server, 0)                                                                    \
    MESSAGE(OBSTACLES, server, 0)                                                                  \
    MESSAGE(ROSTER, server, 0)                                                                     \
    MESSAGE(EVENTS, server, 1) /* repeated until acknowledged; a SNAPSHOT may follow */            \
    MESSAGE(SNAPSHOT, server, 1)                                                                   \
    MESSAGE(GOODBYE, both, 0) /* before a WELCOME it is a rejection */                             \
    MESSAGE(CHAT, client, 0)                                                                       \
    MESSAGE(CHAT_REJECTED, server, 0)                                                              \
    MESSAGE(WATCH, client, 0)                                                                      \
    MESSAGE(PINGS, server, 1)                                                                      \
    MESSAGE(VOTE, both, 0)                                                                         \
    MESSAGE(NOTICE, both, 0)

#define RAIM_MESSAGE_ENUMERATOR(kind, sender, channel) RAIM_MESSAGE_##kind,
enum raim_message_kind {
    RAIM_MESSAGE_NONE,
    RAIM_MESSAGES(RAIM_MESSAGE_ENUMERATOR)
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

// --- Messages of plain fields: see fields.h ---

// From a server. It has a fixed form in all versions, so that any client can read why it was
// rejected. A reader accepts unknown reasons (enum raim_reason); the text is for people.
#define RAIM_GOODBYE_FIELDS(FIELD)                                                                 \
    FIELD(U, reason, 8)                                                                            \
    FIELD(TEXT, text, RAIM_MAX_TEXT_BYTES)

// From a client: authenticated by the session's token, zero without a session.
#define RAIM_CLIENT_GOODBYE_FIELDS(FIELD)                                                          \
    RAIM_GOODBYE_FIELDS(FIELD)                                                                     \
    FIELD(BYTES, token, RAIM_TOKEN_BYTES)

// A player's chat on its way to the server, which forwards it to all clients as an event. The text
// is not cleaned yet.
#define RAIM_CHAT_FIELDS(FIELD) FIELD(TEXT, text, RAIM_MAX_CHAT_BYTES)

// The server's answer to the sender of a CHAT where it does not forward it. A reader accepts
// unknown reasons (enum raim_chat_rejection).
#define RAIM_CHAT_REJECTED_FIELDS(FIELD) FIELD(U, chat_rejection, 8)

// A spectator names the player whose view it wants from now on; 0: the server chooses.
#define RAIM_WATCH_FIELDS(FIELD) FIELD(PLAYER, target, RAIM_PLAYER_ID_BITS)

// A line of text between one client and the server, which no other client receives. A client sends
// commands without their "/" ("help", "vote map dust"), the server answers, or sends a challenge,
// which is to be signed with an admin's key. Only clients whose HELLO has RAIM_CAPABILITY_ADMIN
// receive NOTICE. The text is not cleaned yet.
#define RAIM_NOTICE_FIELDS(FIELD)                                                                  \
    FIELD(BOOL, challenge, 1)                                                                      \
    FIELD(TEXT, text, RAIM_MAX_NOTICE_BYTES)

// All of them: PLAIN(name, kind, list) declares struct raim_NAME, raim_NAME_write, which returns
// the size of the message or 0 when it does not fit, and raim_NAME_read, which reads the message
// after its kind and returns false for a malformed one.
#define RAIM_PLAIN_MESSAGES(PLAIN)                                                                 \
    PLAIN(goodbye, GOODBYE, RAIM_GOODBYE_FIELDS)                                                   \
    PLAIN(client_goodbye, GOODBYE, RAIM_CLIENT_GOODBYE_FIELDS)                                     \
    PLAIN(chat, CHAT, RAIM_CHAT_FIELDS)                                                            \
    PLAIN(chat_rejected, CHAT_REJECTED, RAIM_CHAT_REJECTED_FIELDS)                                 \
    PLAIN(watch, WATCH, RAIM_WATCH_FIELDS)                                                         \
    PLAIN(notice, NOTICE, RAIM_NOTICE_FIELDS)

#define RAIM_DECLARE_PLAIN(name, kind, LIST)                                                       \
    struct raim_##name {                                                                           \
        LIST(RAIM_MEMBER)                                                                          \
    };                                                                                             \
    size_t raim_##name##_write(const struct raim_##name *message, uint8_t *bytes,                  \
                               size_t capacity);                                                   \
    bool raim_##name##_read(raim_reader *reader, struct raim_##name *message);
RAIM_PLAIN_MESSAGES(RAIM_DECLARE_PLAIN)
