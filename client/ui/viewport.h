// SPDX-License-Identifier: MIT
// Viewport: converts between world and screen coordinates. World coordinates are units with y up,
// screen coordinates are pixels with y down from the top left corner of the canvas. Pure.
#pragma once

#include "vec2.h"

// A view in a window. The whole view and nothing more is shown, as large as possible and in the
// middle, whatever the window's shape; bars fill the rest.
struct viewport {
    raim_vec2 view;   // size of what is shown, units
    raim_vec2 eye;    // middle of the view, units
    raim_vec2 middle; // of the screen, where the eye is shown, pixels
    double scale;     // pixels per unit
};

// Fits a view of this size (units, > 0) into a window of this size (pixels; a side below 1 counts
// as 1). The eye is the origin.
struct viewport viewport_fit(raim_vec2 view, raim_vec2 window);

// Fits it into a part of the window, pixels.
struct viewport viewport_fit_in(raim_vec2 view, raim_box room);

raim_vec2 viewport_to_screen(const struct viewport *viewport, raim_vec2 world);
raim_vec2 viewport_to_world(const struct viewport *viewport, raim_vec2 screen);

// The part of the world that is shown, units, and where it is on the screen, pixels.
raim_box viewport_seen(const struct viewport *viewport);
raim_box viewport_area(const struct viewport *viewport);
