// SPDX-License-Identifier: MIT
// Calls libsodium, and is the only one to do so.
#include "crypto.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

enum { NONCE_BYTES = crypto_aead_chacha20poly1305_ietf_NPUBBYTES };

static_assert(RAIM_CRYPTO_HASH_KEY_BYTES == crypto_shorthash_KEYBYTES &&
                  RAIM_CRYPTO_HASH_BYTES == crypto_shorthash_BYTES,
              "SipHash");
static_assert(RAIM_CRYPTO_KEY_BYTES <= crypto_generichash_KEYBYTES_MAX &&
                  RAIM_CRYPTO_DIGEST_BYTES == crypto_generichash_BYTES_MAX,
              "BLAKE2b");
static_assert(RAIM_CRYPTO_KEY_BYTES == crypto_scalarmult_BYTES &&
                  RAIM_CRYPTO_KEY_BYTES == crypto_scalarmult_SCALARBYTES,
              "X25519");
static_assert(RAIM_CRYPTO_KEY_BYTES == crypto_aead_chacha20poly1305_ietf_KEYBYTES &&
                  RAIM_CRYPTO_TAG_BYTES == crypto_aead_chacha20poly1305_ietf_ABYTES &&
                  NONCE_BYTES == 12,
              "ChaCha20-Poly1305");

bool raim_crypto_start(void)
{
    return sodium_init() >= 0;
}

void raim_crypto_random(void *bytes, size_t size)
{
    randombytes_buf(bytes, size);
}

void raim_crypto_forget(void *bytes, size_t size)
{
    sodium_memzero(bytes, size);
}

bool raim_crypto_is_equal(const void *one, const void *other, size_t size)
{
    return sodium_memcmp(one, other, size) == 0;
}

size_t raim_crypto_decode(const char *text, uint8_t *bytes, size_t capacity)
{
    size_t size;
    const int result = sodium_base642bin(bytes, capacity, text, strlen(text), NULL, &size, NULL,
                                         sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return result == 0 ? size : 0;
}

void raim_crypto_siphash(const uint8_t key[RAIM_CRYPTO_HASH_KEY_BYTES], const void *data,
                         size_t size, uint8_t hash[RAIM_CRYPTO_HASH_BYTES])
{
    crypto_shorthash(hash, data, size, key);
}

void raim_crypto_digest(const uint8_t key[RAIM_CRYPTO_KEY_BYTES], const void *data, size_t size,
                        uint8_t digest[RAIM_CRYPTO_DIGEST_BYTES])
{
    crypto_generichash(digest, RAIM_CRYPTO_DIGEST_BYTES, data, size, key, RAIM_CRYPTO_KEY_BYTES);
}

void raim_crypto_publish(const uint8_t secret[RAIM_CRYPTO_KEY_BYTES],
                         uint8_t shown[RAIM_CRYPTO_KEY_BYTES])
{
    crypto_scalarmult_base(shown, secret);
}

bool raim_crypto_agree(const uint8_t secret[RAIM_CRYPTO_KEY_BYTES],
                       const uint8_t shown[RAIM_CRYPTO_KEY_BYTES],
                       uint8_t shared[RAIM_CRYPTO_KEY_BYTES])
{
    return crypto_scalarmult(shared, secret, shown) == 0;
}

static void write_nonce(uint64_t number, uint8_t nonce[NONCE_BYTES])
{
    memset(nonce, 0, 4);
    for (int i = 0; i < 8; i++)
        nonce[4 + i] = (uint8_t)(number >> 8 * (7 - i));
}

void raim_crypto_lock(const uint8_t key[RAIM_CRYPTO_KEY_BYTES], uint64_t number,
                      const uint8_t *plain, size_t size, uint8_t *sealed)
{
    uint8_t nonce[NONCE_BYTES];
    write_nonce(number, nonce);
    crypto_aead_chacha20poly1305_ietf_encrypt(sealed, NULL, plain, size, NULL, 0, NULL, nonce, key);
}

bool raim_crypto_unlock(const uint8_t key[RAIM_CRYPTO_KEY_BYTES], uint64_t number,
                        const uint8_t *sealed, size_t size, uint8_t *plain)
{
    uint8_t nonce[NONCE_BYTES];
    write_nonce(number, nonce);
    return crypto_aead_chacha20poly1305_ietf_decrypt(plain, NULL, NULL, sealed, size, NULL, 0,
                                                     nonce, key) == 0;
}
