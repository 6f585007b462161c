// SPDX-License-Identifier: MIT
// WATCH: a spectator names the player whose view it wants from now on.
#pragma once

#include "message.h"

// Writes the message and returns its size, or 0 when it does not fit. `target` is the player's id;
// 0: the server chooses.
size_t raim_watch_write(uint32_t target, uint8_t *bytes, size_t capacity);

// Reads the message after its kind. Returns false for a malformed message.
bool raim_watch_read(raim_reader *reader, uint32_t *target);
