// SPDX-License-Identifier: MIT
// All the cryptography of the daemon, by libsodium, under the names of what it is used for.
// Any thread may call any of it; nothing here keeps anything.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CRYPTO_HASH_KEY_BYTES 16 // of SipHash
#define CRYPTO_KEY_BYTES 32      // of everything else
#define CRYPTO_SIGNATURE_BYTES 64
#define CRYPTO_DIGEST_BYTES 64
#define CRYPTO_TAG_BYTES 16

// To be called before anything else here, as often as one likes. False when the machine has no
// random numbers.
bool crypto_start(void);

void crypto_random(void *bytes, size_t size);

// Overwrites what must not stay in memory.
void crypto_forget(void *bytes, size_t size);

// Whether two secrets are the same, in a time that does not tell where they differ.
bool crypto_is_equal(const void *one, const void *other, size_t size);

// A key of CRYPTO_KEY_BYTES as 64 hexadecimal digits, none of them a capital, and back: false where
// the text begins with anything else.
#define CRYPTO_KEY_DIGITS (2 * CRYPTO_KEY_BYTES)
void crypto_print_key(const uint8_t key[CRYPTO_KEY_BYTES], char text[CRYPTO_KEY_DIGITS + 1]);
bool crypto_read_key(const char *text, uint8_t key[CRYPTO_KEY_BYTES]);

// SipHash-2-4: what nobody without the key can foretell.
uint64_t crypto_siphash(const uint8_t key[CRYPTO_HASH_KEY_BYTES], const void *data, size_t size);

// BLAKE2b of 512 bits, keyed.
void crypto_digest(const uint8_t key[CRYPTO_KEY_BYTES], const void *data, size_t size,
                   uint8_t digest[CRYPTO_DIGEST_BYTES]);

// Whether a signature (Ed25519) of some bytes was made by who has the secret half of a key.
bool crypto_is_signed(const void *data, size_t size,
                      const uint8_t signature[CRYPTO_SIGNATURE_BYTES],
                      const uint8_t key[CRYPTO_KEY_BYTES]);

// Key agreement (X25519): the public half of a secret, which is any random bytes; and what both
// ends share, each knowing its own secret and the other's public half. False for a public half
// that nobody honest has.
void crypto_publish(const uint8_t secret[CRYPTO_KEY_BYTES], uint8_t shown[CRYPTO_KEY_BYTES]);
bool crypto_agree(const uint8_t secret[CRYPTO_KEY_BYTES], const uint8_t shown[CRYPTO_KEY_BYTES],
                  uint8_t shared[CRYPTO_KEY_BYTES]);

// Encrypts and authenticates (ChaCha20-Poly1305 of RFC 8439; the nonce is the number, big-endian,
// behind four zero bytes): `sealed` gets CRYPTO_TAG_BYTES more than `plain` has, and may be the
// same memory. A key must never see a number twice.
// AES-256-GCM would take half the time or less where the machine has instructions for it
// (./dev bench seal), but libsodium has it nowhere else, and both ends need the same.
void crypto_lock(const uint8_t key[CRYPTO_KEY_BYTES], uint64_t number, const uint8_t *plain,
                 size_t size, uint8_t *sealed);

// The reverse; false, and `plain` left open, for what was not made by crypto_lock with this key and
// number. `size` is that of `sealed`; `plain` may be the same memory.
bool crypto_unlock(const uint8_t key[CRYPTO_KEY_BYTES], uint64_t number, const uint8_t *sealed,
                   size_t size, uint8_t *plain);
