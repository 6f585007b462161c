// SPDX-License-Identifier: MIT
// The handshakes Noise_NK_25519_ChaChaPoly_BLAKE2b and Noise_NK_25519_AESGCM_BLAKE2b of the Noise
// Protocol Framework, revision 34 (https://noiseprotocol.org/noise.html): two messages between an
// initiator and a responder whose static public key the initiator knows, which establish the
// transport keys.
//
//     <- s
//     ...
//     -> e, es
//     <- e, ee
//
// Ephemeral secrets come from the caller, so that tests can repeat a handshake. After a function
// has returned false, the handshake has failed and its state must not be used any further. Thread
// rule: a handshake belongs to one thread at a time; the functions keep no state.
#pragma once

#include "crypto.h"

// The overhead of a handshake message over its payload: an ephemeral public key and a tag.
#define RAIM_NOISE_BYTES (RAIM_CRYPTO_KEY_BYTES + RAIM_CRYPTO_TAG_BYTES)

struct raim_noise {
    enum raim_cipher cipher;
    // The symmetric state: chaining key, transcript hash, and the key and nonce of the messages.
    uint8_t ck[RAIM_CRYPTO_HASH_BYTES];
    uint8_t h[RAIM_CRYPTO_HASH_BYTES];
    uint8_t k[RAIM_CRYPTO_KEY_BYTES];
    uint64_t n;
    // The handshake state: the secret key that the next token needs, and the peer's public key.
    uint8_t secret[RAIM_CRYPTO_KEY_BYTES];
    uint8_t remote[RAIM_CRYPTO_KEY_BYTES];
};

// Begins a handshake as the initiator, with the responder's static public key. Both ends must use
// the same cipher, which this machine has, and the same prologue.
void raim_noise_initiate(struct raim_noise *noise, enum raim_cipher cipher,
                         const uint8_t static_key[RAIM_CRYPTO_KEY_BYTES], const void *prologue,
                         size_t prologue_size);

// Begins a handshake as the responder, with both halves of its static key.
void raim_noise_respond(struct raim_noise *noise, enum raim_cipher cipher,
                        const uint8_t static_secret[RAIM_CRYPTO_KEY_BYTES],
                        const uint8_t static_key[RAIM_CRYPTO_KEY_BYTES], const void *prologue,
                        size_t prologue_size);

// Write or read a message, which is RAIM_NOISE_BYTES longer than its payload. The initiator writes
// the first message and reads the second; the responder reads, then writes. Writing returns false
// for a remote key of low order; reading returns false for bytes that the peer did not write for
// this handshake.
bool raim_noise_write(struct raim_noise *noise,
                      const uint8_t ephemeral_secret[RAIM_CRYPTO_KEY_BYTES], const void *payload,
                      size_t size, uint8_t *message);
bool raim_noise_read(struct raim_noise *noise, const uint8_t *message, size_t size,
                     uint8_t *payload);

// Split: derives the transport keys of both directions after the second message, and wipes the
// state.
void raim_noise_split(struct raim_noise *noise, uint8_t to_responder[RAIM_CRYPTO_KEY_BYTES],
                      uint8_t to_initiator[RAIM_CRYPTO_KEY_BYTES]);

// REKEY: derives the successor of a transport key.
void raim_noise_rekey(enum raim_cipher cipher, const uint8_t key[RAIM_CRYPTO_KEY_BYTES],
                      uint8_t next[RAIM_CRYPTO_KEY_BYTES]);
