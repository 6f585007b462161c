// SPDX-License-Identifier: MIT
// The server's static X25519 key, by which clients of encrypted arenas recognize the server. All
// arenas share it. It is stored in $STATE_DIRECTORY/server.key, or else in $RUNTIME_DIRECTORY; with
// neither, every start generates a new one. Thread rule: main thread only.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Copies the secret key. The first call reads it, or generates and stores it, and logs the public
// key. If a new key cannot be stored, the server uses it until it ends, and logs a warning. Returns
// false and writes a reason into `error` if the stored key cannot be read: with a new key the
// server would look like another one to its clients.
bool server_key_get(uint8_t secret[RAIM_KEY_BYTES], char *error, size_t capacity);
