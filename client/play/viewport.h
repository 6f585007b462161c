// SPDX-License-Identifier: MIT
// From the arena to the window and back: the one place that knows how a view is fitted into a
// window. Pure. World coordinates are units with y up, those of the screen are pixels with y down
// from the top left corner of what is drawn on.
#pragma once

#include "vec2.h"

// A view in a window: whatever the window's shape, all of the view and nothing more is shown, as
// large as possible and in the middle; bars fill what is left.
struct viewport {
    raim_vec2 view;   // size of what is shown, units
    raim_vec2 eye;    // in its middle, units
    raim_vec2 middle; // where the eye is on the screen, pixels
    double scale;     // pixels per unit
};

// Fits a view of this size (units, > 0) into a window of so many pixels; the eye is the origin. A
// window with a side of less than a pixel counts as one of a pixel.
struct viewport viewport_fit(raim_vec2 view, raim_vec2 window);

raim_vec2 viewport_to_screen(const struct viewport *viewport, raim_vec2 world);
raim_vec2 viewport_to_world(const struct viewport *viewport, raim_vec2 screen);

// What is seen of the world, units, and where on the screen, pixels.
raim_box viewport_seen(const struct viewport *viewport);
raim_box viewport_area(const struct viewport *viewport);
