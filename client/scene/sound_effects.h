// SPDX-License-Identifier: MIT
// The sounds of what happens in the arena, placed by where it happens in the view.
#pragma once

#include "effects.h"
#include "picture.h"
#include "sound.h"

// The loudness of a sound that happens `offset` units from the middle of a view: equal power over
// the width of the view, and fainter with the distance, down to a third at the view's corner and to
// silence at twice that.
struct sound_place sound_place_of(raim_vec2 offset, raim_vec2 view);

// Plays the sounds of all effects after the first `heard` ones; only what the picture shows is
// heard. Returns the number of effects begun so far.
uint32_t sound_play_effects(struct sound *sound, const struct effects *effects, uint32_t heard,
                            const struct picture *picture);
