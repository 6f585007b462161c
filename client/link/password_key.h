// SPDX-License-Identifier: MIT
// Derives the key of an arena's password by Argon2id in a short-lived thread, because it takes 64
// MiB of memory and some 100 ms. All threads of a process derive one after another, and a key that
// is derived is shared by all who have the same password and salt, so that hundreds of links take
// the memory and the time once. The password and the keys are kept out of swap and core dumps, and
// wiped when the last user ends.
// Thread rule: a password key belongs to one thread at a time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RAIM_PASSWORD_BYTES 128 // of a password, at most

struct raim_password_key;

// Copies the password. NULL for one of no or too many bytes, and when memory runs out.
struct raim_password_key *raim_password_key_create(const char *password);

// NULL is fine. A thread that still derives ends by itself.
void raim_password_key_destroy(struct raim_password_key *password);

enum raim_password_key_state {
    RAIM_PASSWORD_KEY_DERIVING,
    RAIM_PASSWORD_KEY_READY,
    RAIM_PASSWORD_KEY_FAILED, // no memory or no thread
};

// Copies the key for a salt of RAIM_PASSWORD_SALT_BYTES into `key`, of RAIM_PASSWORD_KEY_BYTES, if
// it is READY. Begins to derive it in the first call for another salt than before, and after a
// FAILED.
enum raim_password_key_state raim_password_key_get(struct raim_password_key *password,
                                                   const uint8_t *salt, uint8_t *key);
