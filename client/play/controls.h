// SPDX-License-Identifier: MIT
// From what is held down to what the player presses: keys and mouse, or a gamepad.
#pragma once

#include "keys.h"
#include "viewport.h"
#include "window.h"

#include "world.h"

// Start from all zero.
struct controls {
    raim_angle aim;  // the latest
    raim_vec2 mouse; // where it was
    bool by_pad;     // the gamepad's right stick aimed last, not the mouse
};

// `from` is where the own player is shown, units.
raim_input controls_read(struct controls *controls, const struct window *window,
                         const struct keys *keys, const struct viewport *viewport, raim_vec2 from);
