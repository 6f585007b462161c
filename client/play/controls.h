// SPDX-License-Identifier: MIT
// Turns the state of keys and mouse, or of a gamepad, into the player's input.
#pragma once

#include "keys.h"
#include "viewport.h"
#include "window.h"

#include "world.h"

// Start from all zero.
struct controls {
    raim_angle aim;  // the last one
    raim_vec2 mouse; // position at the last call, pixels
    bool by_pad;     // the gamepad's right stick was used after the mouse
};

// Reads the input. `from` is where the local player is shown, units.
raim_input controls_read(struct controls *controls, const struct window *window,
                         const struct keys *keys, const struct viewport *viewport, raim_vec2 from);
