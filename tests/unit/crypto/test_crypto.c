// SPDX-License-Identifier: MIT
// Encryption of messages of every size: the nonce of a number, the size, and every changed bit.
#include "chance.h"
#include "crypto.h"
#include "test.h"

#include <sodium.h>

enum { SIZES = 400, TAG = RAIM_CRYPTO_TAG_BYTES };

static uint8_t key[RAIM_CRYPTO_KEY_BYTES], nonce[12], plain[SIZES];
static uint64_t number;
static enum raim_cipher cipher;

static void draw(void)
{
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)chance_int(0, 255);
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (uint8_t)chance_int(0, 255);
    cipher = (enum raim_cipher)chance_int(0, raim_crypto_has_aesgcm());
    number = 0;
    for (int i = 0; i < 8; i++) {
        const int at = cipher == RAIM_CIPHER_AESGCM ? 11 - i : 4 + i;
        nonce[at] = (uint8_t)chance_int(0, 255);
        number |= (uint64_t)nonce[at] << 8 * i;
    }
}

TEST(every_size_is_encrypted_as_libsodium_does)
{
    for (size_t size = 0; size < SIZES; size++) {
        draw();
        uint8_t expected[SIZES + TAG], encrypted[SIZES + TAG] = {0}, opened[SIZES];
        (cipher == RAIM_CIPHER_AESGCM ? crypto_aead_aes256gcm_encrypt
                                      : crypto_aead_chacha20poly1305_ietf_encrypt)(
            expected, NULL, plain, size, NULL, 0, NULL, nonce, key);
        raim_crypto_encrypt(cipher, key, number, NULL, 0, plain, size, encrypted);
        assert_memory_equal(encrypted, expected, size + TAG);
        assert_true(
            raim_crypto_decrypt(cipher, key, number, NULL, 0, encrypted, size + TAG, opened));
        assert_memory_equal(opened, plain, size);
        // In the same memory.
        memcpy(encrypted, plain, size);
        raim_crypto_encrypt(cipher, key, number, NULL, 0, encrypted, size, encrypted);
        assert_memory_equal(encrypted, expected, size + TAG);
        assert_true(
            raim_crypto_decrypt(cipher, key, number, NULL, 0, encrypted, size + TAG, encrypted));
        assert_memory_equal(encrypted, plain, size);
    }
}

TEST(a_changed_bit_is_noticed_in_every_size)
{
    for (size_t size = 0; size < SIZES; size++) {
        draw();
        uint8_t encrypted[SIZES + TAG], opened[SIZES];
        raim_crypto_encrypt(cipher, key, number, NULL, 0, plain, size, encrypted);
        for (int i = 0; i < 20; i++) {
            const int bit = chance_int(0, (int)(size + TAG) * 8 - 1);
            encrypted[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_false(
                raim_crypto_decrypt(cipher, key, number, NULL, 0, encrypted, size + TAG, opened));
            encrypted[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        assert_false(
            raim_crypto_decrypt(cipher, key, number + 1, NULL, 0, encrypted, size + TAG, opened));
        assert_false(
            raim_crypto_decrypt(cipher, key, number, NULL, 0, encrypted, size + TAG - 1, opened));
        assert_false(
            raim_crypto_decrypt(cipher, key, number, plain, 1, encrypted, size + TAG, opened));
        assert_true(
            raim_crypto_decrypt(cipher, key, number, NULL, 0, encrypted, size + TAG, opened));
    }
}

static int set_up_group(void **state)
{
    (void)state;
    return raim_crypto_init() ? 0 : -1;
}

TEST_GROUP(set_up_group, NULL)
