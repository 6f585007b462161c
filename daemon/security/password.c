// SPDX-License-Identifier: MIT
// Passwords: text form, derivation and verification.
#include "password.h"

#include "crypto.h"

#include <assert.h>
#include <string.h>

static const char prefix[] = "raim1$";

enum {
    PREFIX_BYTES = sizeof prefix - 1,
    SALT_CHARACTERS = RAIM_CRYPTO_BASE64URL_BYTES(PASSWORD_SALT_BYTES) - 1,
    VERIFIER_CHARACTERS = RAIM_CRYPTO_BASE64URL_BYTES(PASSWORD_KEY_BYTES) - 1,
};

static_assert(PASSWORD_SALT_BYTES == RAIM_CRYPTO_SALT_BYTES, "Argon2id");
static_assert(PASSWORD_KEY_BYTES == RAIM_CRYPTO_KEY_BYTES, "Argon2id and BLAKE2b");
static_assert(PASSWORD_TEXT_BYTES == PREFIX_BYTES + SALT_CHARACTERS + 1 + VERIFIER_CHARACTERS + 1,
              "the line");

bool password_read(const char *text, struct password *password)
{
    char salt[SALT_CHARACTERS + 1];
    if (strlen(text) != PASSWORD_TEXT_BYTES - 1 || memcmp(text, prefix, PREFIX_BYTES) != 0 ||
        text[PREFIX_BYTES + SALT_CHARACTERS] != '$')
        return false;
    memcpy(salt, text + PREFIX_BYTES, SALT_CHARACTERS);
    salt[SALT_CHARACTERS] = '\0';
    return raim_crypto_decode_base64url(salt, password->salt, PASSWORD_SALT_BYTES) ==
               PASSWORD_SALT_BYTES &&
           raim_crypto_decode_base64url(text + PREFIX_BYTES + SALT_CHARACTERS + 1,
                                        password->verifier,
                                        PASSWORD_KEY_BYTES) == PASSWORD_KEY_BYTES;
}

void password_print(const struct password *password, char text[PASSWORD_TEXT_BYTES])
{
    memcpy(text, prefix, PREFIX_BYTES);
    raim_crypto_encode_base64url(password->salt, PASSWORD_SALT_BYTES, text + PREFIX_BYTES);
    text[PREFIX_BYTES + SALT_CHARACTERS] = '$';
    raim_crypto_encode_base64url(password->verifier, PASSWORD_KEY_BYTES,
                                 text + PREFIX_BYTES + SALT_CHARACTERS + 1);
}

static bool derive_key(const char *plain, const uint8_t salt[PASSWORD_SALT_BYTES],
                       uint8_t key[PASSWORD_KEY_BYTES])
{
    const size_t size = strlen(plain);
    return size > 0 && size <= PASSWORD_MAX_BYTES &&
           raim_crypto_derive_password_key(plain, salt, key);
}

bool password_make(const char *plain, const uint8_t salt[PASSWORD_SALT_BYTES],
                   struct password *password)
{
    uint8_t key[PASSWORD_KEY_BYTES];
    if (!derive_key(plain, salt, key))
        return false;
    memcpy(password->salt, salt, PASSWORD_SALT_BYTES);
    raim_crypto_hash_key(key, password->verifier);
    raim_crypto_wipe(key, sizeof key);
    return true;
}

bool password_check_key(const struct password *password, const uint8_t key[PASSWORD_KEY_BYTES])
{
    uint8_t hash[PASSWORD_KEY_BYTES];
    raim_crypto_hash_key(key, hash);
    return raim_crypto_is_equal(hash, password->verifier, sizeof hash);
}

bool password_check_plain(const struct password *password, const char *plain)
{
    uint8_t key[PASSWORD_KEY_BYTES];
    const bool good = derive_key(plain, password->salt, key) && password_check_key(password, key);
    raim_crypto_wipe(key, sizeof key);
    return good;
}
