// SPDX-License-Identifier: MIT
// Controls for fingers: one on the left half of the window moves, one on the right half aims and,
// far from where it was put down, fires. Buttons at the left edge do what other devices have keys
// for.
#pragma once

#include "bindings.h"
#include "ui.h"
#include "window.h"

#include <stdbool.h>

// Start from all zero.
struct touch {
    bool shows_scores; // their button was pressed an odd number of times
    bool has_vote;     // the buttons of a vote are shown, too; set by the owner
};

// Translates a finger that is put down into the press of a button or, beside all buttons, into an
// accepting one. False for any other event, and for the button of the scores, which is handled.
bool touch_translate(struct touch *touch, const struct window *window,
                     const struct bindings *bindings, const struct window_event *event,
                     struct window_event *press);

// The sticks as those of a gamepad, and whether the right one fires.
struct window_pad touch_pad(const struct window *window, bool *fires);

// Draws the sticks and buttons.
void touch_draw(const struct touch *touch, const struct ui *ui, const struct window *window);
