// SPDX-License-Identifier: MIT
// The client's end of a sealed connection: seals what goes to the server and opens what comes from
// it. No sockets. Thread rule: an envelope belongs to one thread at a time.
#pragma once

#include "crypto.h"
#include "seal.h"

// By which what is sealed is longer at most: before the server has been heard.
#define RAIM_ENVELOPE_BYTES (RAIM_SEAL_OPENING_BYTES + RAIM_SEAL_BYTES)

struct raim_envelope {
    bool sealed; // otherwise it is never asked to close or to open
    bool heard;  // the server, with the keys below
    struct raim_seal_opening opening;
    uint8_t keys[2 * RAIM_KEY_BYTES];    // of the opening; what a nonce makes the others from
    uint8_t session[2 * RAIM_KEY_BYTES]; // of what goes; of what comes
    uint64_t sent;                       // datagrams, with whatever key
    struct raim_seal_window window;
};

// Begins a connection with a ticket: with a fresh key where it wants datagrams sealed, otherwise
// with nothing to do. False when there is no secrecy to be had with that server.
bool raim_envelope_begin(struct raim_envelope *envelope, const struct raim_ticket *ticket);

// Forgets all keys.
void raim_envelope_end(struct raim_envelope *envelope);

// Seals a datagram into other memory with RAIM_ENVELOPE_BYTES more, and returns the size.
size_t raim_envelope_close(struct raim_envelope *envelope, const uint8_t *plain, size_t size,
                           uint8_t *data);

// Opens a datagram into `plain`, which is no part of it and as large. Returns the size; 0 for what
// is not the server's, or has come before.
size_t raim_envelope_open(struct raim_envelope *envelope, const uint8_t *data, size_t size,
                          uint8_t *plain);
