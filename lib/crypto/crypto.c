// SPDX-License-Identifier: MIT
// The wrapper around libsodium, and the only file that calls it.
#include "crypto.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

enum {
    NONCE_BYTES = crypto_aead_chacha20poly1305_ietf_NPUBBYTES,
    // Argon2id: both ends need the same numbers, so they are not libsodium's, which may change.
    PASSWORD_PASSES = 2,
    PASSWORD_MEMORY_BYTES = 64 << 20,
};

static_assert(RAIM_CRYPTO_SIPHASH_KEY_BYTES == crypto_shorthash_KEYBYTES &&
                  RAIM_CRYPTO_SIPHASH_BYTES == crypto_shorthash_BYTES,
              "SipHash");
static_assert(RAIM_CRYPTO_KEY_BYTES <= crypto_generichash_KEYBYTES_MAX &&
                  RAIM_CRYPTO_HASH_BYTES == crypto_generichash_BYTES_MAX,
              "BLAKE2b");
static_assert(RAIM_CRYPTO_KEY_BYTES == crypto_sign_PUBLICKEYBYTES &&
                  RAIM_CRYPTO_SIGNATURE_BYTES == crypto_sign_BYTES,
              "Ed25519");
static_assert(RAIM_CRYPTO_KEY_BYTES == crypto_scalarmult_BYTES &&
                  RAIM_CRYPTO_KEY_BYTES == crypto_scalarmult_SCALARBYTES,
              "X25519");
static_assert(RAIM_CRYPTO_KEY_BYTES == crypto_aead_chacha20poly1305_ietf_KEYBYTES &&
                  RAIM_CRYPTO_TAG_BYTES == crypto_aead_chacha20poly1305_ietf_ABYTES &&
                  NONCE_BYTES == 12,
              "ChaCha20-Poly1305");
static_assert(RAIM_CRYPTO_KEY_BYTES == crypto_aead_aes256gcm_KEYBYTES &&
                  RAIM_CRYPTO_TAG_BYTES == crypto_aead_aes256gcm_ABYTES &&
                  NONCE_BYTES == crypto_aead_aes256gcm_NPUBBYTES,
              "AES-256-GCM");
static_assert(RAIM_CRYPTO_SALT_BYTES == crypto_pwhash_argon2id_SALTBYTES, "Argon2id");

bool raim_crypto_init(void)
{
    return sodium_init() >= 0;
}

void raim_crypto_random(void *bytes, size_t size)
{
    randombytes_buf(bytes, size);
}

void raim_crypto_wipe(void *bytes, size_t size)
{
    sodium_memzero(bytes, size);
}

void *raim_crypto_allocate(size_t size)
{
    // A multiple of 64 keeps the memory aligned: libsodium puts its end at the end of a page.
    void *memory = sodium_malloc((size + 63) / 64 * 64);
    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

void raim_crypto_free(void *memory)
{
    sodium_free(memory);
}

bool raim_crypto_is_equal(const void *one, const void *other, size_t size)
{
    return sodium_memcmp(one, other, size) == 0;
}

void raim_crypto_print_key(const uint8_t key[RAIM_CRYPTO_KEY_BYTES],
                           char text[RAIM_CRYPTO_KEY_DIGITS + 1])
{
    sodium_bin2hex(text, RAIM_CRYPTO_KEY_DIGITS + 1, key, RAIM_CRYPTO_KEY_BYTES);
}

bool raim_crypto_read_key(const char *text, uint8_t key[RAIM_CRYPTO_KEY_BYTES])
{
    size_t size;
    return strspn(text, "0123456789abcdef") >= RAIM_CRYPTO_KEY_DIGITS &&
           sodium_hex2bin(key, RAIM_CRYPTO_KEY_BYTES, text, RAIM_CRYPTO_KEY_DIGITS, NULL, &size,
                          NULL) == 0 &&
           size == RAIM_CRYPTO_KEY_BYTES;
}

size_t raim_crypto_decode_base64url(const char *text, uint8_t *bytes, size_t capacity)
{
    size_t size;
    const int result = sodium_base642bin(bytes, capacity, text, strlen(text), NULL, &size, NULL,
                                         sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return result == 0 ? size : 0;
}

void raim_crypto_encode_base64url(const uint8_t *bytes, size_t size, char *text)
{
    sodium_bin2base64(text, RAIM_CRYPTO_BASE64URL_BYTES(size), bytes, size,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

uint64_t raim_crypto_siphash(const uint8_t key[RAIM_CRYPTO_SIPHASH_KEY_BYTES], const void *data,
                             size_t size)
{
    uint8_t hash[RAIM_CRYPTO_SIPHASH_BYTES];
    crypto_shorthash(hash, data, size, key);
    uint64_t number = 0;
    for (int i = 0; i < RAIM_CRYPTO_SIPHASH_BYTES; i++)
        number |= (uint64_t)hash[i] << 8 * i;
    return number;
}

void raim_crypto_hash(const uint8_t *key, const void *first, size_t first_size, const void *second,
                      size_t second_size, uint8_t hash[RAIM_CRYPTO_HASH_BYTES])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, key, key != NULL ? RAIM_CRYPTO_KEY_BYTES : 0,
                            RAIM_CRYPTO_HASH_BYTES);
    crypto_generichash_update(&state, first, first_size);
    if (second_size > 0)
        crypto_generichash_update(&state, second, second_size);
    crypto_generichash_final(&state, hash, RAIM_CRYPTO_HASH_BYTES);
    sodium_memzero(&state, sizeof state);
}

void raim_crypto_hmac_sha256(const void *key, size_t key_size, const void *first, size_t first_size,
                             const void *second, size_t second_size,
                             uint8_t code[RAIM_CRYPTO_HMAC_BYTES])
{
    crypto_auth_hmacsha256_state state;
    static_assert(RAIM_CRYPTO_HMAC_BYTES == crypto_auth_hmacsha256_BYTES, "of SHA-256");
    crypto_auth_hmacsha256_init(&state, key, key_size);
    crypto_auth_hmacsha256_update(&state, first, first_size);
    crypto_auth_hmacsha256_update(&state, second, second_size);
    crypto_auth_hmacsha256_final(&state, code);
    sodium_memzero(&state, sizeof state);
}

void raim_crypto_hash_key(const uint8_t key[RAIM_CRYPTO_KEY_BYTES],
                          uint8_t hash[RAIM_CRYPTO_KEY_BYTES])
{
    crypto_generichash(hash, RAIM_CRYPTO_KEY_BYTES, key, RAIM_CRYPTO_KEY_BYTES, NULL, 0);
}

bool raim_crypto_derive_password_key(const char *password,
                                     const uint8_t salt[RAIM_CRYPTO_SALT_BYTES],
                                     uint8_t key[RAIM_CRYPTO_KEY_BYTES])
{
    return crypto_pwhash_argon2id(key, RAIM_CRYPTO_KEY_BYTES, password, strlen(password), salt,
                                  PASSWORD_PASSES, PASSWORD_MEMORY_BYTES,
                                  crypto_pwhash_argon2id_ALG_ARGON2ID13) == 0;
}

void raim_crypto_sign(const uint8_t seed[RAIM_CRYPTO_KEY_BYTES], const void *data, size_t size,
                      uint8_t signature[RAIM_CRYPTO_SIGNATURE_BYTES])
{
    uint8_t key[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];
    static_assert(RAIM_CRYPTO_KEY_BYTES == crypto_sign_SEEDBYTES, "a seed is as long as a key");
    crypto_sign_seed_keypair(key, secret, seed);
    crypto_sign_detached(signature, NULL, data, size, secret);
    sodium_memzero(secret, sizeof secret);
}

bool raim_crypto_verify_signature(const void *data, size_t size,
                                  const uint8_t signature[RAIM_CRYPTO_SIGNATURE_BYTES],
                                  const uint8_t key[RAIM_CRYPTO_KEY_BYTES])
{
    return crypto_sign_verify_detached(signature, data, size, key) == 0;
}

void raim_crypto_derive_public_key(const uint8_t secret[RAIM_CRYPTO_KEY_BYTES],
                                   uint8_t public_key[RAIM_CRYPTO_KEY_BYTES])
{
    crypto_scalarmult_base(public_key, secret);
}

bool raim_crypto_key_exchange(const uint8_t secret[RAIM_CRYPTO_KEY_BYTES],
                              const uint8_t public_key[RAIM_CRYPTO_KEY_BYTES],
                              uint8_t shared[RAIM_CRYPTO_KEY_BYTES])
{
    return crypto_scalarmult(shared, secret, public_key) == 0;
}

bool raim_crypto_has_aesgcm(void)
{
    return crypto_aead_aes256gcm_is_available() != 0;
}

static void write_nonce(enum raim_cipher cipher, uint64_t number, uint8_t nonce[NONCE_BYTES])
{
    memset(nonce, 0, 4);
    for (int i = 0; i < 8; i++)
        nonce[cipher == RAIM_CIPHER_AESGCM ? 11 - i : 4 + i] = (uint8_t)(number >> 8 * i);
}

// The round keys of AES are made anew for each datagram: that takes 30 ns, but two tables of 512
// bytes a client would be cold in every tick.
void raim_crypto_encrypt(enum raim_cipher cipher, const uint8_t key[RAIM_CRYPTO_KEY_BYTES],
                         uint64_t number, const void *associated, size_t associated_size,
                         const uint8_t *plain, size_t size, uint8_t *encrypted)
{
    uint8_t nonce[NONCE_BYTES];
    write_nonce(cipher, number, nonce);
    if (cipher == RAIM_CIPHER_AESGCM)
        crypto_aead_aes256gcm_encrypt(encrypted, NULL, plain, size, associated, associated_size,
                                      NULL, nonce, key);
    else
        crypto_aead_chacha20poly1305_ietf_encrypt(encrypted, NULL, plain, size, associated,
                                                  associated_size, NULL, nonce, key);
}

bool raim_crypto_decrypt(enum raim_cipher cipher, const uint8_t key[RAIM_CRYPTO_KEY_BYTES],
                         uint64_t number, const void *associated, size_t associated_size,
                         const uint8_t *encrypted, size_t size, uint8_t *plain)
{
    uint8_t nonce[NONCE_BYTES];
    write_nonce(cipher, number, nonce);
    if (size < RAIM_CRYPTO_TAG_BYTES)
        return false;
    if (cipher == RAIM_CIPHER_AESGCM)
        return crypto_aead_aes256gcm_decrypt(plain, NULL, NULL, encrypted, size, associated,
                                             associated_size, nonce, key) == 0;
    return crypto_aead_chacha20poly1305_ietf_decrypt(plain, NULL, NULL, encrypted, size, associated,
                                                     associated_size, nonce, key) == 0;
}
