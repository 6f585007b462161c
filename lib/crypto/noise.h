// SPDX-License-Identifier: MIT
// Noise_NK_25519_ChaChaPoly_BLAKE2b of the Noise Protocol Framework, revision 34
// (https://noiseprotocol.org/noise.html): a handshake of two messages with a responder whose static
// public key the initiator knows, and the keys that come of it.
//
//     <- s
//     ...
//     -> e, es
//     <- e, ee
//
// Pure: ephemeral secrets come from the caller, so that tests can repeat a handshake. After a
// reader has returned false the state is of no further use.
#pragma once

#include "crypto.h"

// By which a handshake message is longer than its payload: an ephemeral public key and a tag.
#define RAIM_NOISE_BYTES (RAIM_CRYPTO_KEY_BYTES + RAIM_CRYPTO_TAG_BYTES)

struct raim_noise {
    // The symmetric state: chaining key, transcript hash, and the key and nonce of the messages.
    uint8_t ck[RAIM_CRYPTO_HASH_BYTES];
    uint8_t h[RAIM_CRYPTO_HASH_BYTES];
    uint8_t k[RAIM_CRYPTO_KEY_BYTES];
    uint64_t n;
    // The handshake state: the secret that the next token needs, and the other end's key.
    uint8_t secret[RAIM_CRYPTO_KEY_BYTES];
    uint8_t remote[RAIM_CRYPTO_KEY_BYTES];
};

// The initiator, who knows the responder's static public key.
void raim_noise_initiate(struct raim_noise *noise, const uint8_t static_key[RAIM_CRYPTO_KEY_BYTES],
                         const void *prologue, size_t prologue_size);

// The responder, with both halves of its static key.
void raim_noise_respond(struct raim_noise *noise,
                        const uint8_t static_secret[RAIM_CRYPTO_KEY_BYTES],
                        const uint8_t static_key[RAIM_CRYPTO_KEY_BYTES], const void *prologue,
                        size_t prologue_size);

// Either message, which is RAIM_NOISE_BYTES longer than its payload: the initiator writes one, then
// reads one; the responder reads, then writes. The writer is false for a remote key with which no
// secret can be shared, the reader for bytes that the other end did not write for this handshake.
bool raim_noise_write(struct raim_noise *noise,
                      const uint8_t ephemeral_secret[RAIM_CRYPTO_KEY_BYTES], const void *payload,
                      size_t size, uint8_t *message);
bool raim_noise_read(struct raim_noise *noise, const uint8_t *message, size_t size,
                     uint8_t *payload);

// Split: the transport keys of both directions after the second message. Wipes the state.
void raim_noise_split(struct raim_noise *noise, uint8_t to_responder[RAIM_CRYPTO_KEY_BYTES],
                      uint8_t to_initiator[RAIM_CRYPTO_KEY_BYTES]);

// REKEY: the key that follows a transport key.
void raim_noise_rekey(const uint8_t key[RAIM_CRYPTO_KEY_BYTES],
                      uint8_t next[RAIM_CRYPTO_KEY_BYTES]);
