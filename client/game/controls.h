// SPDX-License-Identifier: MIT
// Turns keys, mouse, gamepad and fingers into the player's input. Presses are latched from their
// events, so that one which is released before the next tick still counts for one tick.
#pragma once

#include "bindings.h"
#include "touch.h"
#include "ui.h"
#include "window.h"

#include "world.h"

// Start from all zero.
struct controls {
    raim_angle aim;  // the last one
    raim_vec2 mouse; // position at the last call, pixels
    struct touch touch;
    bool by_pad;                   // the gamepad or fingers were used after the mouse and the keys
    bool is_latched[ACTION_COUNT]; // pressed since controls_clear_latch
    bool aims_shot;                // the fire button of the mouse was pressed since then:
    raim_angle shot_aim;           // where the mouse was at that press
};

// Latches the action of a press.
void controls_handle(struct controls *controls, const struct bindings *bindings,
                     const struct window_event *event, const struct viewport *viewport);

// Reads the input for one tick: what is held or latched. The local player is in the middle of the
// view.
raim_input controls_read(struct controls *controls, const struct window *window,
                         const struct bindings *bindings, const struct viewport *viewport);

// Call it when a tick has taken the input.
void controls_clear_latch(struct controls *controls);

// Where to draw the crosshair, pixels: at the mouse or, with a gamepad, on the ray of the aim.
raim_vec2 controls_crosshair(const struct controls *controls, const struct window *window,
                             const struct viewport *viewport);
