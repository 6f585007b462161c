// SPDX-License-Identifier: MIT
// The server's lasting key of key agreement, by which clients of encrypted arenas know it again:
// one for all its arenas, in $STATE_DIRECTORY/server.key, or else in $RUNTIME_DIRECTORY. Without
// either every start makes another one. Thread rule: the main thread's alone.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reads the secret half, or makes and keeps one, when it is first asked for, and logs the public
// half. Where a new one cannot be kept, it is of this start alone, with a warning in the log. False
// with a reason in `error` where there is a file that cannot be used: another key would be another
// server.
bool server_key_get(uint8_t secret[RAIM_KEY_BYTES], char *error, size_t capacity);
