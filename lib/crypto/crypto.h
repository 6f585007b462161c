// SPDX-License-Identifier: MIT
// Cryptographic primitives of the daemon and the client library: a thin wrapper around libsodium.
// Sizes are in bytes. Only raim_crypto_init, raim_crypto_random, raim_crypto_allocate and
// raim_crypto_free ask the system for anything.
// Thread rule: any thread may call any function; nothing here keeps state.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAIM_CRYPTO_SIPHASH_KEY_BYTES 16
#define RAIM_CRYPTO_SIPHASH_BYTES 8
#define RAIM_CRYPTO_KEY_BYTES 32 // of X25519, Ed25519 (public) and the ciphers
#define RAIM_CRYPTO_HASH_BYTES 64
#define RAIM_CRYPTO_SIGNATURE_BYTES 64
#define RAIM_CRYPTO_TAG_BYTES 16

// Initialises libsodium. Call it before any other function here; repeated calls do nothing. Returns
// false when the machine has no source of random numbers.
bool raim_crypto_init(void);

// Fills memory with cryptographically secure random bytes.
void raim_crypto_random(void *bytes, size_t size);

// Overwrites a secret with zeros; the compiler cannot optimise this away.
void raim_crypto_wipe(void *bytes, size_t size);

// Allocates zeroed memory for secrets: between guard pages, excluded from core dumps, and locked
// into RAM as far as the limits of the process allow. Returns NULL when memory runs out. Freeing
// wipes the memory; freeing NULL does nothing.
void *raim_crypto_allocate(size_t size);
void raim_crypto_free(void *memory);

// Returns whether two secrets are equal, in a time that does not depend on their contents.
bool raim_crypto_is_equal(const void *one, const void *other, size_t size);

// Converts a key to 64 lower-case hexadecimal digits, and back. Reading returns false when the text
// does not begin with such digits.
#define RAIM_CRYPTO_KEY_DIGITS (2 * RAIM_CRYPTO_KEY_BYTES)
void raim_crypto_print_key(const uint8_t key[RAIM_CRYPTO_KEY_BYTES],
                           char text[RAIM_CRYPTO_KEY_DIGITS + 1]);
bool raim_crypto_read_key(const char *text, uint8_t key[RAIM_CRYPTO_KEY_BYTES]);

// Decodes base64url without padding. Returns the number of bytes, or 0 for invalid text and for
// more than `capacity` bytes.
size_t raim_crypto_decode_base64url(const char *text, uint8_t *bytes, size_t capacity);

// Encodes as base64url without padding: `text` has room for RAIM_CRYPTO_BASE64URL_BYTES(size).
#define RAIM_CRYPTO_BASE64URL_BYTES(size) (((size)*4 + 2) / 3 + 1)
void raim_crypto_encode_base64url(const uint8_t *bytes, size_t size, char *text);

// Returns the SipHash-2-4 of some data: its 8 bytes as a little-endian number.
uint64_t raim_crypto_siphash(const uint8_t key[RAIM_CRYPTO_SIPHASH_KEY_BYTES], const void *data,
                             size_t size);

// Computes the 512-bit BLAKE2b hash of two concatenated parts. With a key of RAIM_CRYPTO_KEY_BYTES
// it uses BLAKE2b's keyed mode; the key may be NULL.
void raim_crypto_hash(const uint8_t *key, const void *first, size_t first_size, const void *second,
                      size_t second_size, uint8_t hash[RAIM_CRYPTO_HASH_BYTES]);

// Computes the 256-bit BLAKE2b hash of a key.
void raim_crypto_hash_key(const uint8_t key[RAIM_CRYPTO_KEY_BYTES],
                          uint8_t hash[RAIM_CRYPTO_KEY_BYTES]);

// Derives a key from a password by Argon2id (RFC 9106) with 64 MiB of memory and 2 passes, so that
// guessing is expensive: it takes 60 to 200 ms of a processor. Returns false when memory runs out.
#define RAIM_CRYPTO_SALT_BYTES 16
bool raim_crypto_derive_password_key(const char *password,
                                     const uint8_t salt[RAIM_CRYPTO_SALT_BYTES],
                                     uint8_t key[RAIM_CRYPTO_KEY_BYTES]);

// Computes HMAC-SHA256 (RFC 2104) of two concatenated parts, for receivers that know no BLAKE2b.
#define RAIM_CRYPTO_HMAC_BYTES 32
void raim_crypto_hmac_sha256(const void *key, size_t key_size, const void *first, size_t first_size,
                             const void *second, size_t second_size,
                             uint8_t code[RAIM_CRYPTO_HMAC_BYTES]);

// Signs some bytes by Ed25519 with the key of a seed of RAIM_CRYPTO_KEY_BYTES random bytes.
void raim_crypto_sign(const uint8_t seed[RAIM_CRYPTO_KEY_BYTES], const void *data, size_t size,
                      uint8_t signature[RAIM_CRYPTO_SIGNATURE_BYTES]);

// Returns whether an Ed25519 signature of some bytes is valid for a public key.
bool raim_crypto_verify_signature(const void *data, size_t size,
                                  const uint8_t signature[RAIM_CRYPTO_SIGNATURE_BYTES],
                                  const uint8_t key[RAIM_CRYPTO_KEY_BYTES]);

// X25519 (RFC 7748). A secret key is any random bytes. The key exchange computes the shared secret
// from the own secret key and the peer's public key. It returns false for a public key of low
// order, which no honest peer has, because the result would be all zeros.
void raim_crypto_derive_public_key(const uint8_t secret[RAIM_CRYPTO_KEY_BYTES],
                                   uint8_t public_key[RAIM_CRYPTO_KEY_BYTES]);
bool raim_crypto_key_exchange(const uint8_t secret[RAIM_CRYPTO_KEY_BYTES],
                              const uint8_t public_key[RAIM_CRYPTO_KEY_BYTES],
                              uint8_t shared[RAIM_CRYPTO_KEY_BYTES]);

// The ciphers of Noise: ChaCha20-Poly1305 (RFC 8439), and AES-256-GCM, which takes a third of the
// time (./dev bench encryption) but which libsodium has only on processors with instructions for
// it.
enum raim_cipher { RAIM_CIPHER_CHACHAPOLY, RAIM_CIPHER_AESGCM };

// Whether this machine has AES-256-GCM. Without it that cipher must not be used.
bool raim_crypto_has_aesgcm(void);

// Encrypts and authenticates. The nonce is four zero bytes and the number, little-endian for
// ChaCha20-Poly1305 and big-endian for AES-256-GCM; never use a number twice with one key.
// `encrypted` receives RAIM_CRYPTO_TAG_BYTES more than `plain` has and may be the same memory.
void raim_crypto_encrypt(enum raim_cipher cipher, const uint8_t key[RAIM_CRYPTO_KEY_BYTES],
                         uint64_t number, const void *associated, size_t associated_size,
                         const uint8_t *plain, size_t size, uint8_t *encrypted);

// Decrypts. `size` is that of `encrypted`. Returns false, with `plain` undefined, for bytes that
// raim_crypto_encrypt did not produce with this cipher, key, number and associated data.
bool raim_crypto_decrypt(enum raim_cipher cipher, const uint8_t key[RAIM_CRYPTO_KEY_BYTES],
                         uint64_t number, const void *associated, size_t associated_size,
                         const uint8_t *encrypted, size_t size, uint8_t *plain);
