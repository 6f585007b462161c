// SPDX-License-Identifier: MIT
// Datagrams without a connection, before ENet's: a client sends a CONNECT_REQUEST (a connect
// request), the server answers with a COOKIE (a stateless cookie that proves the client's address),
// and with that ENet connects, or the handshake of secure_datagram.h begins. After a restart the
// server sends an INVITE to those who played. Each begins with four bytes of 0xFF, "RAIM", its kind
// and its form; integers are little-endian. The functions encode bytes and keep no state.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAIM_CONNECTIONLESS_FORM 2
#define RAIM_CONNECTIONLESS_HEAD_BYTES 10
#define RAIM_CONNECTIONLESS_BYTES 512 // at least, padded with zeros: more than its answers together
#define RAIM_COOKIE_BYTES 95          // at most
#define RAIM_INVITE_BYTES 26
#define RAIM_REJECTED_BYTES (RAIM_CONNECTIONLESS_HEAD_BYTES + 1 + RAIM_MAX_TEXT_BYTES) // at most
#define RAIM_COOKIE_BITS 31 // of a cookie's number, because bindings of ENet pass signed ones

enum raim_connectionless_kind {
    RAIM_CONNECTIONLESS_NONE,         // not a connectionless datagram
    RAIM_CONNECTIONLESS_REQUEST,      // client to server
    RAIM_CONNECTIONLESS_COOKIE,       // server to client
    RAIM_CONNECTIONLESS_INVITE,       // server to client
    RAIM_CONNECTIONLESS_HANDSHAKE,    // both: see secure_datagram.h
    RAIM_CONNECTIONLESS_REJECTED,     // server to client
    RAIM_CONNECTIONLESS_ANNOUNCEMENT, // gateway to server: see gateway.h
};

// The credential by which a client asks for admission.
enum raim_credential_kind {
    RAIM_CREDENTIAL_NONE,
    RAIM_CREDENTIAL_ACCESS,   // an access token, see access.h
    RAIM_CREDENTIAL_SESSION,  // the token of the session that it resumes
    RAIM_CREDENTIAL_PASSWORD, // the key derived from the arena's password: only within a handshake
    RAIM_CREDENTIAL_KINDS
};

struct raim_credential {
    enum raim_credential_kind kind;
    uint8_t size;
    uint8_t bytes[RAIM_ACCESS_BYTES];
};

struct raim_connect_request {
    uint32_t cookie; // 0: none yet
    struct raim_credential credential;
};

struct raim_cookie {
    uint32_t cookie;                      // for enet_host_connect's data
    bool needs_admission;                 // a plain CONNECT needs an admitted cookie
    bool offers_encryption;               // the server accepts the handshake
    bool requires_encryption;             // it accepts nothing else; only with offers_encryption
    bool admitted;                        // the credential was valid: this cookie admits a CONNECT
    bool needs_password;                  // or an access token; only with offers_encryption
    bool offers_aesgcm;                   // also as the cipher; only with offers_encryption
    char arena[RAIM_MAX_ARENA_BYTES + 1]; // its name
    uint8_t server_key[RAIM_KEY_BYTES];   // its static key, with offers_encryption
    uint8_t salt[RAIM_PASSWORD_SALT_BYTES]; // of the password, with needs_password
};

// Invites a client to reconnect. Only the holder of the session's token can compute the proof.
struct raim_invite {
    uint8_t nonce[8];
    uint8_t proof[8]; // SipHash-2-4 of the nonce, keyed by the token
};

struct raim_rejected {
    uint8_t reason; // of a GOODBYE
    char text[RAIM_MAX_TEXT_BYTES + 1];
};

// The kind of a datagram of any size, from its first ten bytes.
enum raim_connectionless_kind raim_connectionless_kind(const uint8_t *data, size_t size);

// Writes the first ten bytes.
void raim_connectionless_write_head(enum raim_connectionless_kind kind,
                                    uint8_t bytes[RAIM_CONNECTIONLESS_HEAD_BYTES]);

// Writers return the size; a value out of its range is a bug and asserted. Readers require a
// datagram of the matching raim_connectionless_kind and return false when anything after the head
// is malformed.
size_t raim_connect_request_write(const struct raim_connect_request *connect_request,
                                  uint8_t bytes[RAIM_CONNECTIONLESS_BYTES]);
bool raim_connect_request_read(const uint8_t *data, size_t size,
                               struct raim_connect_request *connect_request);
size_t raim_cookie_write(const struct raim_cookie *cookie, uint8_t bytes[RAIM_COOKIE_BYTES]);
bool raim_cookie_read(const uint8_t *data, size_t size, struct raim_cookie *cookie);
size_t raim_invite_write(const struct raim_invite *invite, uint8_t bytes[RAIM_INVITE_BYTES]);
bool raim_invite_read(const uint8_t *data, size_t size, struct raim_invite *invite);
size_t raim_rejected_write(const struct raim_rejected *rejected,
                           uint8_t bytes[RAIM_REJECTED_BYTES]);
bool raim_rejected_read(const uint8_t *data, size_t size, struct raim_rejected *rejected);

// A credential within another datagram: kind, size, bytes. The reader returns the size of all
// three, 0 for a malformed one.
#define RAIM_CREDENTIAL_MAX_BYTES (2 + RAIM_ACCESS_BYTES)
size_t raim_credential_write(const struct raim_credential *credential,
                             uint8_t bytes[RAIM_CREDENTIAL_MAX_BYTES]);
size_t raim_credential_read(const uint8_t *data, size_t size, struct raim_credential *credential);
