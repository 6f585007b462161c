// SPDX-License-Identifier: MIT
// How a client's connection begins, and what encrypts it: asks for a cookie by CONNECT_REQUESTs,
// runs the handshake where the server offers encryption, and then encrypts and decrypts ENet's
// datagrams. Pure: bytes in, bytes out, for link.c to move; time comes from the caller. Its memory
// is secret. Thread rule: a connector belongs to one thread at a time.
#pragma once

#include "connectionless.h"

// By which an encrypted datagram is longer than its contents.
#define RAIM_CONNECTOR_BYTES 24

struct raim_connector;

struct raim_connector_def {
    bool require_encryption;   // never connects in plain text
    const uint8_t *server_key; // of the only server to talk to, encrypted; NULL: any, until the
                               // first completed handshake, whose server's it then is
    const uint8_t *access;     // access token, copied
    uint32_t access_size;      // 0: none
};

enum raim_connector_state {
    RAIM_CONNECTOR_IDLE,
    RAIM_CONNECTOR_REQUESTING,  // there is no cookie yet
    RAIM_CONNECTOR_HANDSHAKING, // INIT is unanswered
    RAIM_CONNECTOR_READY,       // connect with the cookie
    RAIM_CONNECTOR_REFUSED,     // see raim_connector_refusal
};

// Why a server was not connected to for a while that showed nothing better.
enum raim_connector_doubt {
    RAIM_CONNECTOR_NO_DOUBT,
    RAIM_CONNECTOR_OTHER_KEY, // it has another key than the known one
    RAIM_CONNECTOR_PLAIN,     // it offers no encryption
};

// NULL when memory or random numbers are missing.
struct raim_connector *raim_connector_create(const struct raim_connector_def *def);
void raim_connector_destroy(struct raim_connector *connector);

// Begins a connection, dropping the keys of the one before; resumes the session of a token of
// RAIM_TOKEN_BYTES, if any.
void raim_connector_begin(struct raim_connector *connector, const uint8_t *session,
                          uint64_t now_us);

// Ends it and wipes its keys.
void raim_connector_stop(struct raim_connector *connector);

enum raim_connector_state raim_connector_state(const struct raim_connector *connector);

// The datagram that is due now, of at most RAIM_CONNECTIONLESS_BYTES. Returns its size; 0: none.
// Ask often.
size_t raim_connector_send(struct raim_connector *connector, uint64_t now_us,
                           uint8_t bytes[RAIM_CONNECTIONLESS_BYTES]);

// Takes a datagram without a connection that came from the server's address and port. What is not
// expected is ignored.
void raim_connector_receive(struct raim_connector *connector, uint64_t now_us, const uint8_t *data,
                            size_t size);

// While READY: the cookie to connect with.
uint32_t raim_connector_cookie(const struct raim_connector *connector);

// While REFUSED: why, a reason of a GOODBYE.
const struct raim_refused *raim_connector_refusal(const struct raim_connector *connector);

// Once a server has been doubted for a second: why; and, of OTHER_KEY, the key that it shows.
enum raim_connector_doubt raim_connector_doubt(const struct raim_connector *connector,
                                               uint64_t now_us, uint8_t key[RAIM_KEY_BYTES]);

// The server's key, once a handshake with it was completed or it was given; false before.
bool raim_connector_server_key(const struct raim_connector *connector, uint8_t key[RAIM_KEY_BYTES]);

// Whether ENet's datagrams are encrypted: from READY on.
bool raim_connector_is_secure(const struct raim_connector *connector);

// Encrypts a datagram of ENet's into other memory with RAIM_CONNECTOR_BYTES more; returns the size.
size_t raim_connector_encrypt(struct raim_connector *connector, uint64_t now_us,
                              const uint8_t *plain, size_t size, uint8_t *data);

// Decrypts one into other memory, as large; 0 for what the server did not send, or sent before.
size_t raim_connector_decrypt(struct raim_connector *connector, const uint8_t *data, size_t size,
                              uint8_t *plain);
