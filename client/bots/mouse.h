// SPDX-License-Identifier: MIT
// Moves an aim as a hand on a mouse does: every tick, in small smooth changes and in flicks.
#pragma once

#include "angle.h"

#include <stdbool.h>
#include <stdint.h>

struct mouse {
    uint64_t random;
    raim_angle aim; // the last one
    int16_t offset; // from the wanted aim
    int16_t speed;  // of the offset, per tick
    int16_t glance; // offset that the hand moves to while it has no target
};

// Initialises a mouse. Any seed is valid; the movement depends on nothing else.
void mouse_init(struct mouse *mouse, uint64_t seed);

// Returns the aim for the next tick: within a degree of the wanted one while the hand has a target,
// otherwise glancing around it. It always differs from the last aim by at least one step of the
// wire.
raim_angle mouse_move(struct mouse *mouse, raim_angle wanted, bool has_target);
