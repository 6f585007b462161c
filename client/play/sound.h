// SPDX-License-Identifier: MIT
// Plays the game's sounds, placed by where they happen in the view. Without an audio device the
// game is silent. One per process; every function belongs to the thread that draws, and takes NULL.
#pragma once

#include "sounds.h"
#include "vec2.h"

#include <stdbool.h>

struct sound;

// Opens the audio device with a buffer of about 5 ms. NULL, after one line on stderr, where there
// is none.
struct sound *sound_open(void);
void sound_close(struct sound *sound);

// The volume of everything, 0 to 1.
void sound_set_volume(struct sound *sound, double volume);

// The loudness of a sound on both sides, 0 to 1: equal power over the width of the view, and
// fainter with the distance, down to a third at the view's corner and to silence at twice that.
struct sound_place {
    double left, right;
};
struct sound_place sound_place_of(raim_vec2 offset, raim_vec2 view);

// Plays a sound that happens `offset` units from the middle of a view of this size. Where all
// channels are busy, the oldest sound stops.
void sound_play_at(struct sound *sound, enum sound_kind kind, raim_vec2 offset, raim_vec2 view);

// Plays a sound in the middle.
void sound_play(struct sound *sound, enum sound_kind kind);
