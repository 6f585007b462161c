// SPDX-License-Identifier: MIT
// Reaching: where can somebody have come to who runs for a while? Each direction is worked out when
// first asked for, and once for all whiles.
#pragma once

#include "map.h"

#define RAIM_RUN_WAYS 8

// Where it is; as far as each of the eight directions of running takes it; half as far; and what it
// reaches in a direction that something blocks, after half the way in one beside it.
enum {
    RAIM_REACH_STAY,
    RAIM_REACH_END,
    RAIM_REACH_HALF = RAIM_REACH_END + RAIM_RUN_WAYS,
    RAIM_REACH_TURN = RAIM_REACH_HALF + RAIM_RUN_WAYS,
    RAIM_REACH_CHOICES = RAIM_REACH_TURN + 2 * RAIM_RUN_WAYS,
};

// No more than this: only one of two neighbouring directions is turned from to the other.
#define RAIM_REACH_POINTS (RAIM_REACH_TURN + RAIM_RUN_WAYS)

// Points that a circle can have come to within a time, or any others to look from or at, such as a
// bullet's; and a disc around them all, but for rounding.
struct raim_reach {
    raim_vec2 points[RAIM_REACH_POINTS]; // points[0]: where it is; the more telling ones first
    uint8_t choices[RAIM_REACH_POINTS];  // of a runner: which one of the above each of them is
    int count;                           // 1 for who cannot move
    raim_vec2 centre;
    double extent; // the disc's radius
};

// A player of a radius, free at its centre, that may run up to so many steps of a length.
struct raim_runner {
    const struct raim_map *map;
    raim_vec2 centre;
    double radius, step; // units
    int steps;           // at most
    double free_steps;   // steps that it can run in any direction and meet nothing
    struct raim_run {
        double clear_steps; // steps until it meets something; negative: not asked yet
        int computed;       // of its points
    } runs[RAIM_RUN_WAYS];
    raim_vec2 *points; // by direction, then steps: from where something is in the way
};

// There must be room for RAIM_RUN_WAYS * (steps + 1) points, which stay the caller's.
void raim_runner_begin(struct raim_runner *table, const struct raim_map *map, raim_vec2 centre,
                       double radius, double step, int steps, raim_vec2 *points);

// Where a choice leads in so many steps: by raim_map_move, straight, sliding along what it meets,
// turning once at most. Who is kept on the map's grid gets to within about a step of it.
raim_vec2 raim_runner_at(struct raim_runner *table, int choice, int steps);

// All that is worth a look.
void raim_runner_reach(struct raim_runner *table, int steps, struct raim_reach *reach);
