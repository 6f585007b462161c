// SPDX-License-Identifier: MIT
// The datagrams of the handshake that begins an encrypted connection: INIT from the client,
// RESPONSE from the server, each a Noise message behind a head. Pure bytes: the cryptography is
// that of lib/crypto. See PROTOCOL.md.
#pragma once

#include "connectionless.h"

#define RAIM_NOISE_OVERHEAD_BYTES 48 // a Noise message is longer than its payload by so much

// INIT: the head, the cookie's number, a Noise message whose payload is the client's credential.
#define RAIM_INIT_HEAD_BYTES (RAIM_CONNECTIONLESS_HEAD_BYTES + 4)
#define RAIM_INIT_BYTES                                                                            \
    (RAIM_INIT_HEAD_BYTES + RAIM_NOISE_OVERHEAD_BYTES + RAIM_CREDENTIAL_MOST_BYTES) // at most

// RESPONSE: the head, a Noise message whose payload is a byte: 0, or why the client is refused, a
// reason of a GOODBYE.
#define RAIM_RESPONSE_BYTES (RAIM_CONNECTIONLESS_HEAD_BYTES + RAIM_NOISE_OVERHEAD_BYTES + 1)

struct raim_init {
    uint32_t cookie;
    const uint8_t *message; // in the datagram
    size_t size;            // of the message, at least RAIM_NOISE_OVERHEAD_BYTES + 2
};

// Writes what stands before INIT's message; the reader is for datagrams of kind
// RAIM_CONNECTIONLESS_HANDSHAKE.
void raim_init_write_head(uint32_t cookie, uint8_t bytes[RAIM_INIT_HEAD_BYTES]);
bool raim_init_read(const uint8_t *data, size_t size, struct raim_init *init);

// The message of a RESPONSE of kind RAIM_CONNECTIONLESS_HANDSHAKE; NULL for another size.
const uint8_t *raim_response_read(const uint8_t *data, size_t size);

// The prologue of the handshake: a label and the COOKIE as it was sent, so that whoever changes one
// bit of the offer breaks the handshake. Returns the size.
#define RAIM_PROLOGUE_BYTES (14 + RAIM_COOKIE_BYTES)
size_t raim_prologue_write(const uint8_t *cookie, size_t size, uint8_t bytes[RAIM_PROLOGUE_BYTES]);
