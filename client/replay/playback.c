// SPDX-License-Identifier: MIT
// Moves the position of a recording.
#include "playback.h"

#include <math.h>
#include <stdio.h>

static const double factors[PLAYBACK_SPEEDS] = {0.25, 0.5, 1, 2, 4, 8, 16};

double playback_factor(const struct playback *playback)
{
    return factors[playback->speed];
}

void playback_seek(struct playback *playback, double position)
{
    playback->position = fmin(fmax(position, 0), playback->ticks);
}

void playback_advance(struct playback *playback, double seconds)
{
    if (playback->is_paused)
        return;
    playback_seek(playback,
                  playback->position + seconds * playback->tick_hz * playback_factor(playback));
    if (playback->position >= playback->ticks)
        playback->is_paused = true;
}

void playback_step(struct playback *playback, int way)
{
    const double whole = way > 0 ? floor(playback->position) : ceil(playback->position);
    playback->is_paused = true;
    playback_seek(playback, whole + way);
}

void playback_toggle(struct playback *playback)
{
    if (playback->is_paused && playback->position >= playback->ticks)
        playback->position = 0;
    playback->is_paused = !playback->is_paused;
}

void playback_change_speed(struct playback *playback, int way)
{
    const int speed = playback->speed + way;
    if (speed >= 0 && speed < PLAYBACK_SPEEDS)
        playback->speed = speed;
}

void playback_time(const struct playback *playback, double position, bool tenths,
                   char words[PLAYBACK_TIME_BYTES])
{
    const uint64_t tenth = (uint64_t)(fmax(position, 0) / playback->tick_hz * 10);
    const unsigned s = (unsigned)(tenth / 10 % 60), min = (unsigned)(tenth / 600 % 60);
    const unsigned hours = (unsigned)(tenth / 36000);
    int length = 0;
    if (hours > 0)
        length = snprintf(words, PLAYBACK_TIME_BYTES, "%u:%02u:%02u", hours, min, s);
    else
        length = snprintf(words, PLAYBACK_TIME_BYTES, "%u:%02u", min, s);
    if (tenths)
        snprintf(words + length, (size_t)(PLAYBACK_TIME_BYTES - length), ".%u",
                 (unsigned)(tenth % 10));
}
