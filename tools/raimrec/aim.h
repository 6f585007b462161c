// SPDX-License-Identifier: MIT
// Aim geometry of the audit: how far an aim turned, and whether it was on a target. Units:
// positions and radii are in units, turns in binary angle (angle.h). Thread rule: the functions are
// pure.
#pragma once

#include "angle.h"

#include <stdbool.h>
#include <stdint.h>

// Returns the angle between two aims, 0 to half a turn.
uint32_t aim_turn(raim_angle a, raim_angle b);

// Converts binary angle to degrees.
double aim_degrees(double turn);

// What an aim may be meant for: a circle, and where it will be when a bullet reaches it. Shooters
// aim anywhere between the two, so the target is the circle swept from one to the other.
struct aim_target {
    raim_vec2 now, lead; // relative to the shooter
    double radius;       // positive
};

// Returns the target that a player at `position`, who moves by `velocity` units/s, is for a shooter
// at `eye` whose bullets fly at `bullet_speed` units/s for at most `lifetime` s. The lead is of
// first order: the way of the player while a bullet flies the present distance.
struct aim_target aim_target_at(raim_vec2 eye, raim_vec2 position, raim_vec2 velocity,
                                double radius, double bullet_speed, double lifetime);

// Whether a ray from the shooter in the direction of `aim` meets the target.
bool aim_is_on(raim_angle aim, const struct aim_target *target);

// Returns the angle by which an aim misses the centre of the target, now or led, whichever is
// nearer; 0 between the two.
uint32_t aim_error(raim_angle aim, const struct aim_target *target);

// Returns the angle that the target takes of the shooter's surroundings, up to a full turn.
uint32_t aim_width(const struct aim_target *target);
