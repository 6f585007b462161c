// SPDX-License-Identifier: MIT
// The handshake, with the names of the Noise specification, sections 4 to 7, in the comments.
#include "noise.h"

#include <assert.h>
#include <string.h>

enum {
    KEY_BYTES = RAIM_CRYPTO_KEY_BYTES,
    HASH_BYTES = RAIM_CRYPTO_HASH_BYTES, // HASHLEN of BLAKE2b
    BLOCK_BYTES = 128,                   // BLOCKLEN of BLAKE2b
    TAG_BYTES = RAIM_CRYPTO_TAG_BYTES,
};

// The names of the protocols; h begins with one and zeros.
static const char protocol_names[][HASH_BYTES] = {
    [RAIM_CIPHER_CHACHAPOLY] = "Noise_NK_25519_ChaChaPoly_BLAKE2b",
    [RAIM_CIPHER_AESGCM] = "Noise_NK_25519_AESGCM_BLAKE2b",
};

// HMAC-HASH (RFC 2104) with a key of HASHLEN bytes, which is shorter than a block.
static void hmac(const uint8_t key[HASH_BYTES], const void *data, size_t size,
                 uint8_t output[HASH_BYTES])
{
    uint8_t pad[BLOCK_BYTES], inner[HASH_BYTES];
    memset(pad, 0x36, sizeof pad);
    for (int i = 0; i < HASH_BYTES; i++)
        pad[i] ^= key[i];
    raim_crypto_hash(NULL, pad, sizeof pad, data, size, inner);
    for (int i = 0; i < BLOCK_BYTES; i++)
        pad[i] ^= 0x36 ^ 0x5C;
    raim_crypto_hash(NULL, pad, sizeof pad, inner, sizeof inner, output);
    raim_crypto_wipe(pad, sizeof pad);
    raim_crypto_wipe(inner, sizeof inner);
}

// HKDF with two outputs.
static void hkdf(const uint8_t chaining_key[HASH_BYTES], const uint8_t *input, size_t size,
                 uint8_t first[HASH_BYTES], uint8_t second[HASH_BYTES])
{
    uint8_t temporary[HASH_BYTES], block[HASH_BYTES + 1];
    hmac(chaining_key, input, size, temporary);
    hmac(temporary, &(uint8_t){1}, 1, first);
    memcpy(block, first, HASH_BYTES);
    block[HASH_BYTES] = 2;
    hmac(temporary, block, sizeof block, second);
    raim_crypto_wipe(temporary, sizeof temporary);
    raim_crypto_wipe(block, sizeof block);
}

static void mix_hash(struct raim_noise *noise, const void *data, size_t size)
{
    raim_crypto_hash(NULL, noise->h, HASH_BYTES, data, size, noise->h);
}

// MixKey with the result of a DH. Returns false when the shared secret is all zeros.
static bool mix_key_exchange(struct raim_noise *noise, const uint8_t secret[KEY_BYTES],
                             const uint8_t public_key[KEY_BYTES])
{
    uint8_t shared[KEY_BYTES], ck[HASH_BYTES], key[HASH_BYTES];
    const bool agreed = raim_crypto_key_exchange(secret, public_key, shared);
    if (agreed) {
        hkdf(noise->ck, shared, sizeof shared, ck, key);
        memcpy(noise->ck, ck, sizeof ck);
        memcpy(noise->k, key, sizeof noise->k);
        noise->n = 0;
    }
    raim_crypto_wipe(shared, sizeof shared);
    raim_crypto_wipe(ck, sizeof ck);
    raim_crypto_wipe(key, sizeof key);
    return agreed;
}

static void encrypt_and_hash(struct raim_noise *noise, const void *payload, size_t size,
                             uint8_t *ciphertext)
{
    raim_crypto_encrypt(noise->cipher, noise->k, noise->n++, noise->h, HASH_BYTES, payload, size,
                        ciphertext);
    mix_hash(noise, ciphertext, size + TAG_BYTES);
}

static bool decrypt_and_hash(struct raim_noise *noise, const uint8_t *ciphertext, size_t size,
                             uint8_t *payload)
{
    if (!raim_crypto_decrypt(noise->cipher, noise->k, noise->n++, noise->h, HASH_BYTES, ciphertext,
                             size, payload))
        return false;
    mix_hash(noise, ciphertext, size);
    return true;
}

static void initialize(struct raim_noise *noise, enum raim_cipher cipher, const void *prologue,
                       size_t prologue_size, const uint8_t static_key[KEY_BYTES])
{
    *noise = (struct raim_noise){.cipher = cipher};
    memcpy(noise->h, protocol_names[cipher], HASH_BYTES);
    memcpy(noise->ck, noise->h, HASH_BYTES);
    mix_hash(noise, prologue, prologue_size);
    mix_hash(noise, static_key, KEY_BYTES);
}

void raim_noise_initiate(struct raim_noise *noise, enum raim_cipher cipher,
                         const uint8_t static_key[KEY_BYTES], const void *prologue,
                         size_t prologue_size)
{
    initialize(noise, cipher, prologue, prologue_size, static_key);
    memcpy(noise->remote, static_key, KEY_BYTES);
}

void raim_noise_respond(struct raim_noise *noise, enum raim_cipher cipher,
                        const uint8_t static_secret[KEY_BYTES], const uint8_t static_key[KEY_BYTES],
                        const void *prologue, size_t prologue_size)
{
    initialize(noise, cipher, prologue, prologue_size, static_key);
    memcpy(noise->secret, static_secret, KEY_BYTES);
}

// Both messages of this pattern are "e" and one DH: with the responder's static key ("es") in the
// first message, with its ephemeral key ("ee") in the second.
bool raim_noise_write(struct raim_noise *noise, const uint8_t ephemeral_secret[KEY_BYTES],
                      const void *payload, size_t size, uint8_t *message)
{
    memcpy(noise->secret, ephemeral_secret, KEY_BYTES);
    raim_crypto_derive_public_key(ephemeral_secret, message);
    mix_hash(noise, message, KEY_BYTES);
    if (!mix_key_exchange(noise, noise->secret, noise->remote))
        return false;
    encrypt_and_hash(noise, payload, size, message + KEY_BYTES);
    return true;
}

bool raim_noise_read(struct raim_noise *noise, const uint8_t *message, size_t size,
                     uint8_t *payload)
{
    if (size < RAIM_NOISE_BYTES)
        return false;
    memcpy(noise->remote, message, KEY_BYTES);
    mix_hash(noise, message, KEY_BYTES);
    return mix_key_exchange(noise, noise->secret, noise->remote) &&
           decrypt_and_hash(noise, message + KEY_BYTES, size - KEY_BYTES, payload);
}

void raim_noise_split(struct raim_noise *noise, uint8_t to_responder[KEY_BYTES],
                      uint8_t to_initiator[KEY_BYTES])
{
    uint8_t first[HASH_BYTES], second[HASH_BYTES];
    hkdf(noise->ck, NULL, 0, first, second);
    memcpy(to_responder, first, KEY_BYTES);
    memcpy(to_initiator, second, KEY_BYTES);
    raim_crypto_wipe(first, sizeof first);
    raim_crypto_wipe(second, sizeof second);
    raim_crypto_wipe(noise, sizeof *noise);
}

void raim_noise_rekey(enum raim_cipher cipher, const uint8_t key[KEY_BYTES],
                      uint8_t next[KEY_BYTES])
{
    static const uint8_t zeros[KEY_BYTES];
    uint8_t output[KEY_BYTES + TAG_BYTES];
    raim_crypto_encrypt(cipher, key, UINT64_MAX, NULL, 0, zeros, sizeof zeros, output);
    memcpy(next, output, KEY_BYTES);
    raim_crypto_wipe(output, sizeof output);
}
