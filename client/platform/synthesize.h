// SPDX-License-Identifier: MIT
// Synthesizes the game's sounds, some milliseconds each.
#pragma once

#include "sound.h"

#include <stddef.h>
#include <stdint.h>

enum { SOUNDS_HZ = 48000 };

// Returns mono samples, which the caller frees, and their number. NULL when memory runs out.
int16_t *synthesize(enum sound_kind kind, size_t *count);
