// SPDX-License-Identifier: MIT
// What anything that is laid over the picture needs to draw itself.
#pragma once

#include "draw.h"
#include "text.h"

struct ui {
    struct draw *draw;
    struct text *text;
    raim_box area; // of the view, pixels
    double unit;   // pixels for what would be one on a view 1280 pixels wide
};
