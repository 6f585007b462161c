// SPDX-License-Identifier: MIT
// Passwords of arenas and administrators. The configuration contains a line that verifies a
// password but does not contain it, "raim1$SALT$VERIFIER" with both parts in base64url. The key is
// Argon2id of the password and the salt, the verifier is BLAKE2b-256 of the key. A game client
// derives the key itself, so that a server verifies a guess in about a microsecond. Thread rule:
// the functions keep no state; any thread may call them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PASSWORD_SALT_BYTES 16
#define PASSWORD_KEY_BYTES 32
#define PASSWORD_MAX_BYTES 128 // of the password itself, which has at least one
#define PASSWORD_TEXT_BYTES 73 // of the line, with its end

struct password {
    uint8_t salt[PASSWORD_SALT_BYTES];
    uint8_t verifier[PASSWORD_KEY_BYTES];
};

// Reads the line of the configuration. Returns false, with `password` undefined, for any other
// text.
bool password_read(const char *text, struct password *password);

// Writes the line of the configuration.
void password_print(const struct password *password, char text[PASSWORD_TEXT_BYTES]);

// Makes the verifier of a password with a salt of random bytes. Takes 64 MiB and some 100 ms.
// Returns false when memory runs out or the password has a wrong length.
bool password_make(const char *plain, const uint8_t salt[PASSWORD_SALT_BYTES],
                   struct password *password);

// Verifies the key that a client has derived, in constant time: about a microsecond.
bool password_check_key(const struct password *password, const uint8_t key[PASSWORD_KEY_BYTES]);

// Verifies a password. Takes 64 MiB and some 100 ms: do not call it from a worker or the main
// thread. Also returns false when memory runs out.
bool password_check_plain(const struct password *password, const char *plain);
