// SPDX-License-Identifier: MIT
// The datagrams of the handshake that begins an encrypted connection: INIT from the client,
// RESPONSE from the server, each a Noise message after a head. This module only encodes the bytes;
// lib/crypto does the cryptography. See PROTOCOL.md.
#pragma once

#include "connectionless.h"

#define RAIM_NOISE_OVERHEAD_BYTES 48 // of a Noise message beyond its payload

// INIT: the head, the cookie's number, whose highest bit chooses AES-256-GCM, a Noise message whose
// payload is the client's credential.
#define RAIM_INIT_HEAD_BYTES (RAIM_CONNECTIONLESS_HEAD_BYTES + 4)
#define RAIM_INIT_BYTES                                                                            \
    (RAIM_INIT_HEAD_BYTES + RAIM_NOISE_OVERHEAD_BYTES + RAIM_CREDENTIAL_MAX_BYTES) // at most

// RESPONSE: the head, a Noise message whose payload is one byte: 0, or the reason of a rejection as
// in GOODBYE.
#define RAIM_RESPONSE_BYTES (RAIM_CONNECTIONLESS_HEAD_BYTES + RAIM_NOISE_OVERHEAD_BYTES + 1)

struct raim_init {
    uint32_t cookie;
    bool aesgcm;
    const uint8_t *message; // in the datagram
    size_t size;            // of the message, at least RAIM_NOISE_OVERHEAD_BYTES + 2
};

// Writes INIT up to its Noise message. The reader requires a datagram of kind
// RAIM_CONNECTIONLESS_HANDSHAKE.
void raim_init_write_head(uint32_t cookie, bool aesgcm, uint8_t bytes[RAIM_INIT_HEAD_BYTES]);
bool raim_init_read(const uint8_t *data, size_t size, struct raim_init *init);

// The Noise message of a RESPONSE of kind RAIM_CONNECTIONLESS_HANDSHAKE; NULL for a wrong size.
const uint8_t *raim_response_read(const uint8_t *data, size_t size);

// The prologue of the handshake (Noise Protocol Framework): a label and the COOKIE as it was sent,
// so that any change of the offer on its way breaks the handshake. Returns the size.
#define RAIM_PROLOGUE_BYTES (14 + RAIM_COOKIE_BYTES)
size_t raim_prologue_write(const uint8_t *cookie, size_t size, uint8_t bytes[RAIM_PROLOGUE_BYTES]);
