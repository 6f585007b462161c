// SPDX-License-Identifier: MIT
// Plays the game's sounds. Without an audio device the game is silent. One per process; every
// function belongs to the thread that draws, and takes NULL.
#pragma once

enum sound_kind {
    SOUND_SHOT,
    SOUND_HIT, // the local player's bullet hit
    SOUND_DEATH,
    SOUND_SPAWN,
    SOUND_ROUND,
    SOUND_CHAT,
    SOUND_KILL, // by the local player
    SOUND_NEAR, // a bullet just missed it
    SOUND_KINDS
};

struct sound;

// Opens the audio device with a buffer of about 5 ms. NULL, after one line on stderr, where there
// is none.
struct sound *sound_open(void);
void sound_close(struct sound *sound);

// The volume of everything, 0 to 1.
void sound_set_volume(struct sound *sound, double volume);

// The amplitude of a volume: loudness is felt as about its square root.
static inline double sound_amplitude(double volume)
{
    const double limited = volume < 0 ? 0 : volume > 1 ? 1 : volume;
    return limited * limited;
}

// The loudness of a sound on both sides, 0 to 1.
struct sound_place {
    double left, right;
};

// Plays a sound. Where all channels are busy, the oldest sound stops.
void sound_play(struct sound *sound, enum sound_kind kind, struct sound_place place);

// Plays a sound in the middle.
static inline void sound_play_here(struct sound *sound, enum sound_kind kind)
{
    sound_play(sound, kind, (struct sound_place){0.7, 0.7});
}
