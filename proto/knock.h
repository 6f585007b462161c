// SPDX-License-Identifier: MIT
// Datagrams without a connection, before ENet's: a client KNOCKs, the server answers with a TICKET
// that proves its address, and with that ENet connects. After a restart the server INVITEs those
// who played. Each begins with four bytes of 0xFF, "RAIM", its kind and its form; integers are
// little-endian. Pure bytes, no state.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAIM_KNOCK_FORM 1
#define RAIM_KNOCK_BYTES 512  // at least, padded with zeros: more than its answer
#define RAIM_TICKET_BYTES 128 // at most
#define RAIM_INVITE_BYTES 26
#define RAIM_KEY_BYTES 32 // of a public key of X25519

enum raim_knock_kind {
    RAIM_KNOCK_NONE,   // something else
    RAIM_KNOCK_KNOCK,  // client to server
    RAIM_KNOCK_TICKET, // server to client
    RAIM_KNOCK_INVITE, // server to client
    RAIM_KNOCK_SEALED, // client to server: the first datagram of a sealed connection, see seal.h
};

struct raim_ticket {
    uint32_t ticket;                   // for enet_host_connect's data
    bool access;                       // HELLO must have an access token
    bool sealed;                       // every further datagram must be sealed
    uint8_t identity[RAIM_KEY_BYTES];  // with `sealed`: the server's lasting key
    uint8_t ephemeral[RAIM_KEY_BYTES]; // and the one of the hour
};

// "Come back": only who knows the session's token could have made the proof.
struct raim_invite {
    uint8_t nonce[8];
    uint8_t proof[8]; // SipHash-2-4 of the nonce, keyed by the token
};

// The kind of a datagram, by its first ten bytes.
enum raim_knock_kind raim_knock_kind(const uint8_t *data, size_t size);

// Writers return the size; readers are for datagrams of that kind, and return false when the rest
// is wrong.
size_t raim_knock_write(uint8_t bytes[RAIM_KNOCK_BYTES]);
bool raim_knock_read(const uint8_t *data, size_t size);
size_t raim_ticket_write(const struct raim_ticket *ticket, uint8_t bytes[RAIM_TICKET_BYTES]);
bool raim_ticket_read(const uint8_t *data, size_t size, struct raim_ticket *ticket);
size_t raim_invite_write(const struct raim_invite *invite, uint8_t bytes[RAIM_INVITE_BYTES]);
bool raim_invite_read(const uint8_t *data, size_t size, struct raim_invite *invite);
