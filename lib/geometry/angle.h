// SPDX-License-Identifier: MIT
// Binary angles: a full turn is 65536, counter-clockwise from the positive x axis. The functions
// use only +, -, * and /, so that every compiler gives the same bits; libm's trigonometry differs
// between platforms. Thread rule: the functions are pure; any thread may call them.
#pragma once

#include "vec2.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint16_t raim_angle;

#define RAIM_ANGLE_TURN 65536

// Returns the unit vector of an angle. Its length is within 1e-12 of one.
raim_vec2 raim_angle_direction(raim_angle angle);

// Returns the angle nearest to a vector's direction, and 0 for the zero vector. Both coordinates
// must be finite.
raim_angle raim_angle_of(raim_vec2 vector);

#ifdef __cplusplus
}
#endif
