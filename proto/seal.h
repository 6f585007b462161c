// SPDX-License-Identifier: MIT
// Sealed arenas: how encrypted datagrams lie on the wire, and what their keys are made of. Pure
// bytes; the cryptography itself is for those who have a library for it. See PROTOCOL.md.
#pragma once

#include "knock.h"

// By which a sealed datagram is longer than what is in it: its number, then, behind what is in it,
// its tag.
#define RAIM_SEAL_NUMBER_BYTES 8
#define RAIM_SEAL_TAG_BYTES 16
#define RAIM_SEAL_BYTES (RAIM_SEAL_NUMBER_BYTES + RAIM_SEAL_TAG_BYTES)

#define RAIM_SEAL_HINT_BYTES 4
#define RAIM_SEAL_NONCE_BYTES 16
#define RAIM_SEAL_TRANSCRIPT_BYTES (5 * RAIM_KEY_BYTES + 4)

// Before each sealed datagram of a client, until it has heard the server.
#define RAIM_SEAL_OPENING_BYTES (10 + 4 + RAIM_SEAL_HINT_BYTES + RAIM_KEY_BYTES)
struct raim_seal_opening {
    uint32_t ticket;
    uint8_t hint[RAIM_SEAL_HINT_BYTES]; // the first bytes of the server's ephemeral key
    uint8_t key[RAIM_KEY_BYTES];        // the client's, of this connection alone
};

// Before each of the server's, until that hears that the client has heard it.
#define RAIM_SEAL_ANSWER_BYTES (10 + RAIM_SEAL_NONCE_BYTES)

// What both know when they have agreed on keys.
struct raim_seal_transcript {
    uint8_t of_ephemerals[RAIM_KEY_BYTES]; // shared by the client's key and the server's ephemeral
    uint8_t of_identity[RAIM_KEY_BYTES];   // shared by the client's key and the server's lasting
    uint8_t client[RAIM_KEY_BYTES];        // public keys
    uint8_t ephemeral[RAIM_KEY_BYTES];
    uint8_t identity[RAIM_KEY_BYTES];
    uint32_t ticket;
};

// The key under which a transcript is hashed: the protocol's name.
extern const uint8_t raim_seal_label[RAIM_KEY_BYTES];

// Writers return the size. Readers are for datagrams of kind RAIM_KNOCK_SEALED that may have more
// behind what is read, and return false where they are too short.
size_t raim_seal_write_opening(const struct raim_seal_opening *opening,
                               uint8_t bytes[RAIM_SEAL_OPENING_BYTES]);
bool raim_seal_read_opening(const uint8_t *data, size_t size, struct raim_seal_opening *opening);
size_t raim_seal_write_answer(const uint8_t nonce[RAIM_SEAL_NONCE_BYTES],
                              uint8_t bytes[RAIM_SEAL_ANSWER_BYTES]);
bool raim_seal_read_answer(const uint8_t *data, size_t size, uint8_t nonce[RAIM_SEAL_NONCE_BYTES]);

void raim_seal_write_transcript(const struct raim_seal_transcript *transcript,
                                uint8_t bytes[RAIM_SEAL_TRANSCRIPT_BYTES]);

// The number of a sealed datagram, below 2^62, so that it never begins with FF FF; false for bytes
// that are no sealed datagram with something in it.
void raim_seal_write_number(uint64_t number, uint8_t bytes[RAIM_SEAL_NUMBER_BYTES]);
bool raim_seal_read_number(const uint8_t *data, size_t size, uint64_t *number);

// Which numbers have come: all zero before the first.
struct raim_seal_window {
    uint64_t next;  // above all that have come
    uint64_t taken; // bit i: next - 1 - i has come
};

// Whether a number is new: it did not come before, and is not so old that nobody knows.
bool raim_seal_is_new(const struct raim_seal_window *window, uint64_t number);
void raim_seal_take(struct raim_seal_window *window, uint64_t number);
