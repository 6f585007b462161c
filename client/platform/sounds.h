// SPDX-License-Identifier: MIT
// The game's sounds: mono samples that synthesize.c computes at build time.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SOUNDS_HZ = 48000 };

enum sound_kind {
    SOUND_SHOT,
    SOUND_HIT, // the local player's bullet hit
    SOUND_DEATH,
    SOUND_SPAWN,
    SOUND_ROUND,
    SOUND_CHAT,
    SOUND_KINDS
};

struct sounds_clip {
    const int16_t *samples;
    size_t count;
};
extern const struct sounds_clip sounds_clips[SOUND_KINDS];
