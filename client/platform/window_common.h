// SPDX-License-Identifier: MIT
// What the windows of all platforms have in common: typed text, repeated keys, and when a stick or
// a trigger of a gamepad is moved.
#pragma once

#include "window.h"

// How far a trigger has to be pulled to count as a pressed button.
#define WINDOW_TRIGGER_POINT 0.3

// Makes an event TYPED, with as many whole characters of a text as fit. Control characters become
// spaces.
void window_type(struct window_event *event, const char *text);

// Whether a held key repeats: only where it moves the selection or the caret, or erases.
bool window_repeats(enum window_command command, bool edits);

// A stick, x and y from -1 to 1; zero where it is at rest.
raim_vec2 window_stick(double x, double y);
