// SPDX-License-Identifier: MIT
// The controls of a recording, without drawing and input: the timeline, which maps ticks to pixels
// and places the marks of chapters; the playback, which has position and speed; and the layout of
// the footer. Pure.
#pragma once

#include "recording.h"
#include "vec2.h"

#include <stdbool.h>
#include <stdint.h>

// A bar on the screen, pixels, and the ticks that it stands for.
struct timeline {
    raim_box bar;
    uint32_t ticks;
};

// Where a tick lies in the bar, and the tick at a place, limited to the recording.
double timeline_x(const struct timeline *timeline, double tick);
double timeline_tick(const struct timeline *timeline, double x);

enum timeline_mark_kind {
    TIMELINE_KILL,    // of others
    TIMELINE_KILL_BY, // by the followed player
    TIMELINE_KILL_OF, // of the followed player
    TIMELINE_ROUND,   // the beginning of a round
    TIMELINE_ROUND_END,
    TIMELINE_KINDS
};

struct timeline_mark {
    double x; // a whole pixel
    enum timeline_mark_kind kind;
};

// Fills in the marks of chapters, at most one of a kind in a pixel, and returns their number, at
// most `capacity`. RAIM_NOBODY: no player is followed.
uint32_t timeline_marks(const struct timeline *timeline, const struct raim_chapter *chapters,
                        uint32_t count, raim_player_id followed, struct timeline_mark *marks,
                        uint32_t capacity);

// The chapter nearest to a place, at most `reach` pixels away; NULL: none. One of the followed
// player comes before others.
const struct raim_chapter *timeline_chapter_at(const struct timeline *timeline,
                                               const struct raim_chapter *chapters, uint32_t count,
                                               raim_player_id followed, double x, double reach);

// Playback of a recording: the position, the speed, and whether it is paused.

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

// Layout of the controls in the footer below the view: a box for each. Boxes do not overlap at any
// size.

// The height of the footer at a scale of 1.
#define REPLAY_FOOTER_POINTS 76.0

enum replay_part {
    REPLAY_BAR,  // the timeline
    REPLAY_MENU, // for fingers
    REPLAY_STEP_BACK,
    REPLAY_PLAY,
    REPLAY_STEP_FORWARD,
    REPLAY_SLOWER,
    REPLAY_SPEED,
    REPLAY_FASTER,
    REPLAY_TIME,
    REPLAY_WHO, // who is followed
    REPLAY_SENT,
    REPLAY_FLY,
    REPLAY_PARTS
};

// Boxes in pixels. A footer that is too narrow lacks the last parts: their boxes are empty.
struct replay_layout {
    double unit; // scale of text and lines
    raim_box boxes[REPLAY_PARTS];
};

struct replay_layout replay_layout_of(raim_box footer, bool has_fingers);
