// SPDX-License-Identifier: MIT
// All the cryptography of the client library, by libsodium, under the names of what it is used for.
// Any thread may call any of it; nothing here keeps anything.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAIM_CRYPTO_HASH_KEY_BYTES 16 // of SipHash
#define RAIM_CRYPTO_HASH_BYTES 8
#define RAIM_CRYPTO_KEY_BYTES 32 // of everything else
#define RAIM_CRYPTO_DIGEST_BYTES 64
#define RAIM_CRYPTO_TAG_BYTES 16

// To be called before anything else here, as often as one likes. False when the machine has no
// random numbers.
bool raim_crypto_start(void);

void raim_crypto_random(void *bytes, size_t size);

// Overwrites what must not stay in memory.
void raim_crypto_forget(void *bytes, size_t size);

// Whether two secrets are the same, in a time that does not tell where they differ.
bool raim_crypto_is_equal(const void *one, const void *other, size_t size);

// Reads base64url without padding. Returns the size; 0 for anything else, or more than `capacity`.
size_t raim_crypto_decode(const char *text, uint8_t *bytes, size_t capacity);

// SipHash-2-4: what nobody without the key can foretell.
void raim_crypto_siphash(const uint8_t key[RAIM_CRYPTO_HASH_KEY_BYTES], const void *data,
                         size_t size, uint8_t hash[RAIM_CRYPTO_HASH_BYTES]);

// BLAKE2b of 512 bits, keyed.
void raim_crypto_digest(const uint8_t key[RAIM_CRYPTO_KEY_BYTES], const void *data, size_t size,
                        uint8_t digest[RAIM_CRYPTO_DIGEST_BYTES]);

// Key agreement (X25519): the public half of a secret, which is any random bytes; and what both
// ends share, each knowing its own secret and the other's public half. False for a public half
// that nobody honest has.
void raim_crypto_publish(const uint8_t secret[RAIM_CRYPTO_KEY_BYTES],
                         uint8_t shown[RAIM_CRYPTO_KEY_BYTES]);
bool raim_crypto_agree(const uint8_t secret[RAIM_CRYPTO_KEY_BYTES],
                       const uint8_t shown[RAIM_CRYPTO_KEY_BYTES],
                       uint8_t shared[RAIM_CRYPTO_KEY_BYTES]);

// Encrypts and authenticates (ChaCha20-Poly1305 of RFC 8439; the nonce is the number, big-endian,
// behind four zero bytes): `sealed` gets RAIM_CRYPTO_TAG_BYTES more than `plain` has, and may be
// the same memory. A key must never see a number twice.
// AES-256-GCM would take half the time or less where the machine has instructions for it
// (./dev bench seal), but libsodium has it nowhere else, and both ends need the same.
void raim_crypto_lock(const uint8_t key[RAIM_CRYPTO_KEY_BYTES], uint64_t number,
                      const uint8_t *plain, size_t size, uint8_t *sealed);

// The reverse; false, and `plain` left open, for what was not made by raim_crypto_lock with this
// key and number. `size` is that of `sealed`; `plain` may be the same memory.
bool raim_crypto_unlock(const uint8_t key[RAIM_CRYPTO_KEY_BYTES], uint64_t number,
                        const uint8_t *sealed, size_t size, uint8_t *plain);
