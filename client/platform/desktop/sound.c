// SPDX-License-Identifier: MIT
// Plays sounds through SDL_mixer. No other file of the program includes SDL_mixer.
#define _GNU_SOURCE
#include "sound.h"

#include "synthesize.h"

#include <SDL_mixer.h>

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUFFER_SAMPLES = 256, CHANNELS = 24 };

struct sound {
    Mix_Chunk *chunks[SOUND_KINDS];
    int16_t *samples[SOUND_KINDS]; // stereo
    uint64_t plays;
    uint64_t started[CHANNELS]; // by channel: the number of its play
};

static bool make_chunk(struct sound *sound, int kind)
{
    size_t count;
    int16_t *clip = synthesize((enum sound_kind)kind, &count);
    int16_t *samples = clip != NULL ? malloc(2 * count * sizeof *samples) : NULL;
    sound->samples[kind] = samples;
    for (size_t i = 0; samples != NULL && i < count; i++)
        samples[2 * i] = samples[2 * i + 1] = clip[i];
    free(clip);
    if (samples == NULL)
        return false;
    const size_t bytes = 2 * count * sizeof *samples;
    sound->chunks[kind] = Mix_QuickLoad_RAW((Uint8 *)samples, (Uint32)bytes);
    return sound->chunks[kind] != NULL;
}

// ALSA writes a dozen lines to stderr where there is no device; the game prints one line instead.
// Returns what let_libraries_speak takes; -1: nothing was changed.
static int silence_libraries(void)
{
    fflush(stderr);
    const int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept >= 0 && nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    if (nowhere >= 0)
        close(nowhere);
    return kept;
}

static void let_libraries_speak(int kept)
{
    if (kept < 0)
        return;
    dup2(kept, STDERR_FILENO);
    close(kept);
}

static bool open_device(struct sound *sound)
{
    // SDL converts where the device plays another format, so the chunks may be raw.
    const int words = silence_libraries();
    const bool is_open =
        Mix_OpenAudioDevice(SOUNDS_HZ, AUDIO_S16SYS, 2, BUFFER_SAMPLES, NULL, 0) == 0;
    let_libraries_speak(words);
    if (!is_open)
        return false;
    Mix_AllocateChannels(CHANNELS);
    for (int i = 0; i < SOUND_KINDS; i++)
        if (!make_chunk(sound, i))
            return false;
    return true;
}

struct sound *sound_open(void)
{
    struct sound *sound = calloc(1, sizeof *sound);
    if (sound == NULL)
        return NULL;
    if (!open_device(sound)) {
        fprintf(stderr, "raim: no sound: %s\n", SDL_GetError());
        sound_close(sound);
        return NULL;
    }
    return sound;
}

void sound_close(struct sound *sound)
{
    if (sound == NULL)
        return;
    Mix_CloseAudio(); // ignored where the device is not open
    for (int i = 0; i < SOUND_KINDS; i++) {
        Mix_FreeChunk(sound->chunks[i]);
        free(sound->samples[i]);
    }
    free(sound);
}

void sound_set_volume(struct sound *sound, double volume)
{
    if (sound != NULL)
        Mix_MasterVolume((int)lround(sound_amplitude(volume) * MIX_MAX_VOLUME));
}

static int choose_channel(const struct sound *sound)
{
    int oldest = 0;
    for (int i = 0; i < CHANNELS; i++) {
        if (!Mix_Playing(i))
            return i;
        if (sound->started[i] < sound->started[oldest])
            oldest = i;
    }
    return oldest;
}

void sound_play(struct sound *sound, enum sound_kind kind, struct sound_place place)
{
    const double left = fmin(place.left, 1) * 255, right = fmin(place.right, 1) * 255;
    if (sound == NULL || (left < 1 && right < 1))
        return;
    const int channel = choose_channel(sound);
    sound->started[channel] = ++sound->plays;
    Mix_HaltChannel(channel);
    Mix_SetPanning(channel, (Uint8)left, (Uint8)right);
    Mix_PlayChannel(channel, sound->chunks[kind], 0);
}
