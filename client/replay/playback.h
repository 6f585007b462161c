// SPDX-License-Identifier: MIT
// Playback of a recording: the position, the speed, and whether it stands still. Pure.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { PLAYBACK_SPEEDS = 7 };

// Start with the ticks, their rate and PLAYBACK_NORMAL; all else zero.
struct playback {
    uint32_t ticks;   // of the recording; 0 to `ticks` are positions
    uint32_t tick_hz; // > 0
    double position;  // ticks from the beginning
    int speed;        // index of playback_factor
    bool is_paused;
};

enum { PLAYBACK_NORMAL = 2 }; // the speed at which it was recorded

// The factor of the speed, 0.25 to 16.
double playback_factor(const struct playback *playback);

// Moves on by a time of the wall clock, unless it is paused; pauses at the end.
void playback_advance(struct playback *playback, double seconds);

// Moves to a position, limited to the recording.
void playback_seek(struct playback *playback, double position);

// Pauses and moves to the next whole tick: on for a `way` of 1, back for -1.
void playback_step(struct playback *playback, int way);

// Starts or stops; at the end it starts from the beginning.
void playback_toggle(struct playback *playback);

// Takes the next higher speed for a `way` of 1, the next lower one for -1, where there is one.
void playback_change_speed(struct playback *playback, int way);

// Writes a time as "1:02:03", or "2:03" below an hour; with tenths of a second where `tenths`.
enum { PLAYBACK_TIME_BYTES = 24 };
void playback_time(const struct playback *playback, double position, bool tenths,
                   char words[PLAYBACK_TIME_BYTES]);
