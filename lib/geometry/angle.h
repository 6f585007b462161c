// SPDX-License-Identifier: MIT
// Binary angles: a full turn is 65536, counter-clockwise from the positive x axis. Computed with
// +, -, *, / alone, so that every compiler gives the same bits (libm's trigonometry does not).
#pragma once

#include "vec2.h"

#include <stdint.h>

typedef uint16_t raim_angle;

#define RAIM_ANGLE_TURN 65536

// The unit vector of an angle; its length is within 1e-12 of one.
raim_vec2 raim_angle_direction(raim_angle angle);

// The angle nearest to a vector's direction; 0 for the zero vector.
raim_angle raim_angle_of(raim_vec2 vector);
