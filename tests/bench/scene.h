// SPDX-License-Identifier: MIT
// Random numbers and random maps for the benches: convex obstacles of 4 to 8 corners, scattered so
// that players can pass between any two of them.
#pragma once

#include "angle.h"
#include "map.h"
#include "random.h"

// The capacity for obstacles in the benches, which exceeds that of a map on the wire.
#define SCENE_MAX_OBSTACLES 16384

// Creates a map of at least 4800 x 2700 units, three screens in each direction, with a spawn for
// every fourth player. It is larger for more than 50 obstacles or 64 players. Returns NULL when
// memory runs out.
struct raim_map *scene_create(uint64_t *random, int obstacles, int players, double player_radius);

// Returns a uniform random number in [low, high).
static inline double chance_uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * raim_random_unit(state);
}

// Returns a random point inside a box, at least `margin` units from its sides.
static inline raim_vec2 chance_point(uint64_t *state, raim_box box, double margin)
{
    const double x = chance_uniform(state, box.min.x + margin, box.max.x - margin);
    return (raim_vec2){x, chance_uniform(state, box.min.y + margin, box.max.y - margin)};
}

static inline raim_vec2 chance_direction(uint64_t *state)
{
    return raim_angle_direction((raim_angle)raim_random_below(state, RAIM_ANGLE_TURN));
}
