// SPDX-License-Identifier: MIT
// The client's state machine for the beginning of a connection, and for its encryption: it asks for
// a cookie by CONNECT_REQUESTs, runs the handshake where the server offers encryption, and then
// encrypts and decrypts ENet's datagrams. It moves no bytes and reads no clock: enet_client.c does
// both. Random numbers come from libsodium, because a handshake must not be repeatable. Its memory
// is kept out of swap and core dumps. Thread rule: a connector belongs to one thread at a time.
#pragma once

#include "connectionless.h"
#include "message.h"

#include <stdbool.h>
#include <stdint.h>

// Bytes that encryption adds to a datagram.
#define RAIM_CONNECTOR_BYTES 24

struct raim_connector;

struct raim_connector_def {
    bool require_encryption;   // never connects in plain text
    const uint8_t *server_key; // of the only server to talk to, copied; plain text is rejected
                               // then. NULL: any; the first completed handshake then sets it
    const uint8_t *access;     // access token, copied
    uint32_t access_size;      // 0: none
    const char *password;      // of the arena, copied; NULL: none
};

enum raim_connector_state {
    RAIM_CONNECTOR_IDLE,
    RAIM_CONNECTOR_REQUESTING,  // there is no cookie yet
    RAIM_CONNECTOR_DERIVING,    // the key of the password is not ready
    RAIM_CONNECTOR_HANDSHAKING, // the INIT is unanswered
    RAIM_CONNECTOR_READY,       // connect with the cookie
    RAIM_CONNECTOR_REJECTED,    // see raim_connector_rejection
};

// Why cookies of the server are ignored.
enum raim_connector_mismatch {
    RAIM_CONNECTOR_NO_MISMATCH,
    RAIM_CONNECTOR_OTHER_KEY, // the server shows another key than the known one
    RAIM_CONNECTOR_PLAIN,     // the server offers no encryption
};

// NULL when memory or random numbers are missing, or the password has a wrong length.
struct raim_connector *raim_connector_create(const struct raim_connector_def *def);
void raim_connector_destroy(struct raim_connector *connector);

// Begins a connection and wipes the keys of the one before. `session` is the token of a session to
// resume, of RAIM_TOKEN_BYTES, or NULL.
void raim_connector_begin(struct raim_connector *connector, const uint8_t *session,
                          uint64_t now_us);

// Ends the connection and wipes its keys.
void raim_connector_stop(struct raim_connector *connector);

enum raim_connector_state raim_connector_state(const struct raim_connector *connector);

// Writes the datagram that is due now. Returns its size; 0: none is due. Call it often.
size_t raim_connector_send(struct raim_connector *connector, uint64_t now_us,
                           uint8_t bytes[RAIM_CONNECTIONLESS_BYTES]);

// Lets the next datagram be due at once, for an address to which none was sent yet.
void raim_connector_repeat(struct raim_connector *connector);

// Takes a datagram outside of ENet's protocol from the server's address and port. Malformed and
// unexpected datagrams are ignored. Returns whether it was taken.
bool raim_connector_receive(struct raim_connector *connector, uint64_t now_us, const uint8_t *data,
                            size_t size);

// READY: the cookie to connect with.
uint32_t raim_connector_cookie(const struct raim_connector *connector);

// REJECTED: the reason, one of a GOODBYE, and its text.
const struct raim_rejected *raim_connector_rejection(const struct raim_connector *connector);

// Why the server's cookies have been ignored for a second, without a good one among them. Copies,
// for OTHER_KEY, the key that the server shows.
enum raim_connector_mismatch raim_connector_mismatch(const struct raim_connector *connector,
                                                     uint64_t now_us, uint8_t key[RAIM_KEY_BYTES]);

// Copies the server's key: that of the def or of a completed handshake. False before.
bool raim_connector_server_key(const struct raim_connector *connector, uint8_t key[RAIM_KEY_BYTES]);

// Whether ENet's datagrams are to be encrypted. It does not change from READY on.
bool raim_connector_is_secure(const struct raim_connector *connector);

// Encrypts a datagram of ENet's into `data`, which must hold RAIM_CONNECTOR_BYTES more and not
// overlap it. Returns the size.
size_t raim_connector_encrypt(struct raim_connector *connector, uint64_t now_us,
                              const uint8_t *plain, size_t size, uint8_t *data);

// Decrypts a datagram into `plain`, which must be as large and not overlap it. Returns the size; 0
// for a forged or repeated datagram.
size_t raim_connector_decrypt(struct raim_connector *connector, const uint8_t *data, size_t size,
                              uint8_t *plain);

// Validates invitations, by which a restarted server asks a client to resume: a valid invitation
// proves to know the session's token and carries a new nonce, so that a repeated one is ignored.

// Number of nonces kept. A server uses one per start. A client that has seen so many ignores
// further invitations, and notices the next restart by the silence.
#define RAIM_INVITATIONS 16

struct raim_invitations {
    uint32_t count;
    uint8_t nonces[RAIM_INVITATIONS][8];
};

// Whether an invitation is valid and new. Remembers it.
bool raim_invitation_take(struct raim_invitations *invitations, const struct raim_invite *invite,
                          const uint8_t token[RAIM_TOKEN_BYTES]);
