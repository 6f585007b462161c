// SPDX-License-Identifier: MIT
// The server's lasting key of key agreement, by which clients of sealed arenas know it again: one
// for all its arenas, in $STATE_DIRECTORY/identity.key. Without that directory every start makes
// another one.
// Thread rule: the main thread's alone.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDENTITY_KEY_BYTES 32

// Reads the secret half, or makes and keeps one, when it is first asked for, and logs the public
// half. False with a reason in `error` where the file cannot be used: another key would be another
// server.
bool identity_get(uint8_t secret[IDENTITY_KEY_BYTES], char *error, size_t capacity);
