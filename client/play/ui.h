// SPDX-License-Identifier: MIT
// The arguments of everything that draws on the screen.
#pragma once

#include "draw.h"
#include "text.h"

struct ui {
    struct draw *draw;
    struct text *text;
    raim_box area;   // of the view, pixels
    raim_box footer; // at the bottom of the window, below the view; empty: none
    double unit;     // scale of text and lines: about 1 where the view is 1280 pixels wide
};
