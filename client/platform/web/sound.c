// SPDX-License-Identifier: MIT
// Plays sounds by the page's Web Audio.
#include "sound.h"

#include "page.h"
#include "synthesize.h"

#include <stdlib.h>

struct sound {
    char nothing; // the page has it
};

struct sound *sound_open(void)
{
    static struct sound sound;
    for (int i = 0; i < SOUND_KINDS; i++) {
        size_t count;
        int16_t *samples = synthesize((enum sound_kind)i, &count);
        if (samples != NULL)
            page_load_sound(i, samples, count, SOUNDS_HZ);
        free(samples);
    }
    return &sound;
}

void sound_close(struct sound *sound)
{
    (void)sound;
}

void sound_set_volume(struct sound *sound, double volume)
{
    if (sound != NULL)
        page_set_volume(sound_amplitude(volume));
}

void sound_play(struct sound *sound, enum sound_kind kind, struct sound_place place)
{
    const double least = 1.0 / 255;
    if (sound != NULL && (place.left >= least || place.right >= least))
        page_play_sound((int)kind, place.left, place.right);
}
