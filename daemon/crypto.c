// SPDX-License-Identifier: MIT
// Calls libsodium, and is the only one to do so.
#include "crypto.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

enum { NONCE_BYTES = crypto_aead_chacha20poly1305_ietf_NPUBBYTES };

static_assert(CRYPTO_HASH_KEY_BYTES == crypto_shorthash_KEYBYTES &&
                  sizeof(uint64_t) == crypto_shorthash_BYTES,
              "SipHash");
static_assert(CRYPTO_KEY_BYTES <= crypto_generichash_KEYBYTES_MAX &&
                  CRYPTO_DIGEST_BYTES == crypto_generichash_BYTES_MAX,
              "BLAKE2b");
static_assert(CRYPTO_KEY_BYTES == crypto_sign_PUBLICKEYBYTES &&
                  CRYPTO_SIGNATURE_BYTES == crypto_sign_BYTES,
              "Ed25519");
static_assert(CRYPTO_KEY_BYTES == crypto_scalarmult_BYTES &&
                  CRYPTO_KEY_BYTES == crypto_scalarmult_SCALARBYTES,
              "X25519");
static_assert(CRYPTO_KEY_BYTES == crypto_aead_chacha20poly1305_ietf_KEYBYTES &&
                  CRYPTO_TAG_BYTES == crypto_aead_chacha20poly1305_ietf_ABYTES && NONCE_BYTES == 12,
              "ChaCha20-Poly1305");

bool crypto_start(void)
{
    return sodium_init() >= 0;
}

void crypto_random(void *bytes, size_t size)
{
    randombytes_buf(bytes, size);
}

void crypto_forget(void *bytes, size_t size)
{
    sodium_memzero(bytes, size);
}

bool crypto_is_equal(const void *one, const void *other, size_t size)
{
    return sodium_memcmp(one, other, size) == 0;
}

void crypto_print_key(const uint8_t key[CRYPTO_KEY_BYTES], char text[CRYPTO_KEY_DIGITS + 1])
{
    sodium_bin2hex(text, CRYPTO_KEY_DIGITS + 1, key, CRYPTO_KEY_BYTES);
}

bool crypto_read_key(const char *text, uint8_t key[CRYPTO_KEY_BYTES])
{
    size_t size;
    return strspn(text, "0123456789abcdef") >= CRYPTO_KEY_DIGITS &&
           sodium_hex2bin(key, CRYPTO_KEY_BYTES, text, CRYPTO_KEY_DIGITS, NULL, &size, NULL) == 0 &&
           size == CRYPTO_KEY_BYTES;
}

uint64_t crypto_siphash(const uint8_t key[CRYPTO_HASH_KEY_BYTES], const void *data, size_t size)
{
    uint8_t hash[crypto_shorthash_BYTES];
    crypto_shorthash(hash, data, size, key);
    uint64_t number;
    memcpy(&number, hash, sizeof number);
    return number;
}

void crypto_digest(const uint8_t key[CRYPTO_KEY_BYTES], const void *data, size_t size,
                   uint8_t digest[CRYPTO_DIGEST_BYTES])
{
    crypto_generichash(digest, CRYPTO_DIGEST_BYTES, data, size, key, CRYPTO_KEY_BYTES);
}

bool crypto_is_signed(const void *data, size_t size,
                      const uint8_t signature[CRYPTO_SIGNATURE_BYTES],
                      const uint8_t key[CRYPTO_KEY_BYTES])
{
    return crypto_sign_verify_detached(signature, data, size, key) == 0;
}

void crypto_publish(const uint8_t secret[CRYPTO_KEY_BYTES], uint8_t shown[CRYPTO_KEY_BYTES])
{
    crypto_scalarmult_base(shown, secret);
}

bool crypto_agree(const uint8_t secret[CRYPTO_KEY_BYTES], const uint8_t shown[CRYPTO_KEY_BYTES],
                  uint8_t shared[CRYPTO_KEY_BYTES])
{
    return crypto_scalarmult(shared, secret, shown) == 0;
}

static void write_nonce(uint64_t number, uint8_t nonce[NONCE_BYTES])
{
    memset(nonce, 0, 4);
    for (int i = 0; i < 8; i++)
        nonce[4 + i] = (uint8_t)(number >> 8 * (7 - i));
}

void crypto_lock(const uint8_t key[CRYPTO_KEY_BYTES], uint64_t number, const uint8_t *plain,
                 size_t size, uint8_t *sealed)
{
    uint8_t nonce[NONCE_BYTES];
    write_nonce(number, nonce);
    crypto_aead_chacha20poly1305_ietf_encrypt(sealed, NULL, plain, size, NULL, 0, NULL, nonce, key);
}

bool crypto_unlock(const uint8_t key[CRYPTO_KEY_BYTES], uint64_t number, const uint8_t *sealed,
                   size_t size, uint8_t *plain)
{
    uint8_t nonce[NONCE_BYTES];
    write_nonce(number, nonce);
    return crypto_aead_chacha20poly1305_ietf_decrypt(plain, NULL, NULL, sealed, size, NULL, 0,
                                                     nonce, key) == 0;
}
