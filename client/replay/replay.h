// SPDX-License-Identifier: MIT
// A recording on the screen: playback, whom the view follows, and everything that is drawn.
#pragma once

#include "frame_times.h"
#include "preferences.h"
#include "ui.h"
#include "window.h"

struct replay;

struct replay_def {
    const char *file;
    const char *follow;               // name of the player to follow first; NULL: chosen here
    double at_s;                      // where it begins, seconds
    struct window *window;            // borrowed until replay_close
    struct preferences *preferences;  // borrowed until replay_close
    const struct frame_times *frames; // borrowed until replay_close; NULL with is_bare
    bool is_bare;                     // without controls, hints and sounds, for a video
};

// Copies what it does not borrow. NULL, with the reason in English, where the file cannot be
// played.
struct replay *replay_open(const struct replay_def *def, char *error, size_t capacity);

// Takes NULL.
void replay_close(struct replay *replay);

enum replay_wish {
    REPLAY_ON,
    REPLAY_LEAVE, // leave the recording for the home screen
    REPLAY_QUIT,  // end the game
};
enum replay_wish replay_handle(struct replay *replay, const struct window_event *event);

// Moves on to this moment of the wall clock, and takes the picture that is then drawn.
void replay_look(struct replay *replay, double now_s);

// The view to draw.
struct ui_view replay_view(const struct replay *replay);

void replay_draw(struct replay *replay, const struct ui *ui);

// The functions below are for a replay without a player at the controls.

// Length of the recording, seconds.
double replay_length_s(const struct replay *replay);

// Shows the moment at this number of seconds from the beginning.
void replay_show(struct replay *replay, double at_s);

// Why the recording plays no further than the moment shown; NULL: it does.
const char *replay_fault(const struct replay *replay);
