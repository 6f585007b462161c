// SPDX-License-Identifier: MIT
// Chooses the sounds of what happens in the arena.
#pragma once

#include "effects.h"
#include "picture.h"
#include "sound.h"

// Plays the sounds of all effects after the first `heard` ones; only what the picture shows is
// heard. Returns the number of effects begun so far.
uint32_t play_sound_effects(struct sound *sound, const struct effects *effects, uint32_t heard,
                            const struct picture *picture);
