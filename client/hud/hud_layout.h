// SPDX-License-Identifier: MIT
// Layout of the head-up display: a box for each of its parts, such that no two of them that are
// shown together overlap, at any size of window and text. Pure.
#pragma once

#include "vec2.h"

#include <stdbool.h>

// What is to be laid out.
struct hud_frame {
    raim_box window, area; // the area of the view lies in the window, and bars may be beside it
    double unit;           // scale of text and lines
    double line;           // height of a line of small text, pixels
    int hint_lines;        // 0: no hint
    bool has_table;        // all scores are shown in place of the first few
    bool has_banner;       // in place of the clock
    bool has_graph;
    double vote_height; // of the panel of a vote, pixels; 0: none
};

// Boxes in pixels; one that is not shown is empty.
struct hud_layout {
    raim_box clock, banner;
    raim_box kills;  // top left
    raim_box chat;   // bottom left, with the line that is typed
    raim_box scores; // the first few, top right
    raim_box table;  // all scores, in the middle
    raim_box vote;   // under the clock or the banner
    raim_box death;  // in the middle: by whom, and the time until the spawn
    raim_box graph;  // of the network: in a bar where one has room, otherwise bottom right
    raim_box hint;   // at the bottom
};

struct hud_layout hud_layout_of(const struct hud_frame *frame);
