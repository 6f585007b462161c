// SPDX-License-Identifier: MIT
// Access tokens: permissions to join an arena under a name within a period of time, signed by an
// issuer. This module only encodes the bytes; callers with keys sign and verify. Integers are
// little-endian.
#pragma once

#include "connectionless.h"

#define RAIM_ACCESS_FORM 2
#define RAIM_ACCESS_KEY_ID_BYTES 8 // the first bytes of the public key that verifies a token
#define RAIM_ACCESS_NONCE_BYTES 16
#define RAIM_ACCESS_SIGNATURE_BYTES 64

struct raim_access {
    uint8_t key_id[RAIM_ACCESS_KEY_ID_BYTES];
    uint64_t not_before;                    // seconds since 1970
    uint64_t expiry;                        // seconds since 1970
    uint8_t nonce[RAIM_ACCESS_NONCE_BYTES]; // random and unique per token
    char arena[RAIM_MAX_ARENA_BYTES + 1];   // 1 to 31 bytes
    char name[RAIM_MAX_NAME_BYTES + 1];     // of the player; empty: the client chooses
    bool has_key;
    uint8_t key[RAIM_KEY_BYTES]; // with `has_key`: the server's static key, see connectionless.h
};

// Writes everything but the signature, which must follow directly, and returns the size.
size_t raim_access_write(const struct raim_access *access, uint8_t bytes[RAIM_ACCESS_BYTES]);

// Reads a token. Returns the size of the signed part, which only the signature follows; 0 for
// malformed bytes.
size_t raim_access_read(const uint8_t *bytes, size_t size, struct raim_access *access);
