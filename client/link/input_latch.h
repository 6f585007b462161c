// SPDX-License-Identifier: MIT
// Latches the input that an application changes at any time for the ticks that take it: what was
// set and released again between two ticks still counts for one tick.
#pragma once

#include "world.h"

#include <stdbool.h>

// Zeroed, it holds no key.
struct raim_input_latch {
    raim_input held;    // the newest
    raim_input pressed; // fire with its aim, and a direction, set since the last tick; 0: none
};

void raim_input_latch_set(struct raim_input_latch *latch, const raim_input *input);

// The input for the next tick.
raim_input raim_input_latch_take(struct raim_input_latch *latch);
