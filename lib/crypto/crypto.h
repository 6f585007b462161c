// SPDX-License-Identifier: MIT
// All the cryptography of the daemon and of the client library, by libsodium, under the names of
// what it is used for. Any thread may call any of it; nothing here keeps state.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAIM_CRYPTO_SIPHASH_KEY_BYTES 16
#define RAIM_CRYPTO_SIPHASH_BYTES 8
#define RAIM_CRYPTO_KEY_BYTES 32 // of X25519, Ed25519 (public) and ChaCha20-Poly1305
#define RAIM_CRYPTO_HASH_BYTES 64
#define RAIM_CRYPTO_SIGNATURE_BYTES 64
#define RAIM_CRYPTO_TAG_BYTES 16

// To be called before anything else here, as often as one likes. False when the machine has no
// random numbers.
bool raim_crypto_init(void);

void raim_crypto_random(void *bytes, size_t size);

// Overwrites a secret that must not stay in memory.
void raim_crypto_wipe(void *bytes, size_t size);

// Zeroed memory for secrets: between guard pages, left out of core dumps, and locked into memory as
// far as the process may lock any. NULL when memory runs out. Freeing wipes it; NULL is fine.
void *raim_crypto_allocate(size_t size);
void raim_crypto_free(void *memory);

// Whether two secrets are equal, in a time that does not depend on where they differ.
bool raim_crypto_is_equal(const void *one, const void *other, size_t size);

// A key of RAIM_CRYPTO_KEY_BYTES as 64 lower-case hexadecimal digits, and back: false where the
// text begins with anything else.
#define RAIM_CRYPTO_KEY_DIGITS (2 * RAIM_CRYPTO_KEY_BYTES)
void raim_crypto_print_key(const uint8_t key[RAIM_CRYPTO_KEY_BYTES],
                           char text[RAIM_CRYPTO_KEY_DIGITS + 1]);
bool raim_crypto_read_key(const char *text, uint8_t key[RAIM_CRYPTO_KEY_BYTES]);

// Reads base64url without padding. Returns the size; 0 for anything else, or more than `capacity`.
size_t raim_crypto_decode(const char *text, uint8_t *bytes, size_t capacity);

// SipHash-2-4, its 8 bytes read as a little-endian number.
uint64_t raim_crypto_siphash(const uint8_t key[RAIM_CRYPTO_SIPHASH_KEY_BYTES], const void *data,
                             size_t size);

// BLAKE2b of 512 bits of two parts in a row. With a key of RAIM_CRYPTO_KEY_BYTES it is BLAKE2b's
// own keyed mode; NULL is for none.
void raim_crypto_hash(const uint8_t *key, const void *first, size_t first_size, const void *second,
                      size_t second_size, uint8_t hash[RAIM_CRYPTO_HASH_BYTES]);

// Whether an Ed25519 signature of some bytes was made with the secret half of a key.
bool raim_crypto_is_signed(const void *data, size_t size,
                           const uint8_t signature[RAIM_CRYPTO_SIGNATURE_BYTES],
                           const uint8_t key[RAIM_CRYPTO_KEY_BYTES]);

// X25519: the public half of a secret, which is any random bytes; and what both ends share, each
// knowing its own secret and the other's public half. False for a public half that no honest peer
// has, because the result would be all zeros.
void raim_crypto_derive_public_key(const uint8_t secret[RAIM_CRYPTO_KEY_BYTES],
                                   uint8_t public_key[RAIM_CRYPTO_KEY_BYTES]);
bool raim_crypto_key_exchange(const uint8_t secret[RAIM_CRYPTO_KEY_BYTES],
                              const uint8_t public_key[RAIM_CRYPTO_KEY_BYTES],
                              uint8_t shared[RAIM_CRYPTO_KEY_BYTES]);

// Encrypts and authenticates with ChaCha20-Poly1305 (RFC 8439); the nonce is four zero bytes and
// the number, little-endian, as in Noise. `encryption` gets RAIM_CRYPTO_TAG_BYTES more than `plain`
// has and may be the same memory. A key must never see a number twice. AES-256-GCM would take half
// the time or less on machines with instructions for it
// (./dev bench encryption), but libsodium has it nowhere else, and both ends need the same.
void raim_crypto_encrypt(const uint8_t key[RAIM_CRYPTO_KEY_BYTES], uint64_t number,
                         const void *associated, size_t associated_size, const uint8_t *plain,
                         size_t size, uint8_t *encrypted);

// The reverse; false, and `plain` undefined, for bytes that raim_crypto_encrypt did not make with
// the same key, number and associated data. `size` is that of `encryption`.
bool raim_crypto_decrypt(const uint8_t key[RAIM_CRYPTO_KEY_BYTES], uint64_t number,
                         const void *associated, size_t associated_size, const uint8_t *encrypted,
                         size_t size, uint8_t *plain);
