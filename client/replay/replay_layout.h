// SPDX-License-Identifier: MIT
// Layout of the controls of a recording in the footer below the view: a box for each, such that no
// two overlap, at any size. Pure.
#pragma once

#include "vec2.h"

// The height of the footer at a scale of 1.
#define REPLAY_FOOTER_POINTS 76.0

enum replay_part {
    REPLAY_BAR, // the timeline
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

struct replay_layout replay_layout_of(raim_box footer);
