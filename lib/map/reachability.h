// SPDX-License-Identifier: MIT
// Reachability: the points that a running player can reach within a number of steps. Each direction
// is computed on first use, and once for all numbers of steps.
// Units: coordinates, radii and the length of a step are in units, and finite.
// Thread rule: a table of reachable points belongs to one thread at a time; any threads may share
// the map.
#pragma once

#include "map.h"

#define RAIM_RUN_DIRECTIONS 8

// The choices of a run: to stay; to run the whole time in one of eight directions; to run half the
// time; and, for a blocked direction, to run half the time in an adjacent one first.
enum {
    RAIM_REACH_STAY,
    RAIM_REACH_END,
    RAIM_REACH_HALF = RAIM_REACH_END + RAIM_RUN_DIRECTIONS,
    RAIM_REACH_TURN = RAIM_REACH_HALF + RAIM_RUN_DIRECTIONS,
    RAIM_REACH_CHOICES = RAIM_REACH_TURN + 2 * RAIM_RUN_DIRECTIONS,
};

// The largest number of points that are computed: of two adjacent directions, only one is a detour
// for the other.
#define RAIM_REACH_POINTS (RAIM_REACH_TURN + RAIM_RUN_DIRECTIONS)

// The points that a circle can reach within a time, and a disc around them, except for rounding.
// The points may also be any others to see from or to be seen at, such as those of a bullet. A
// point is computed on demand: until then, only a disc around it is known.
struct raim_reach {
    raim_vec2
        points[RAIM_REACH_CHOICES];      // points[0]: the position; the most informative ones first
    double spreads[RAIM_REACH_CHOICES];  // radius of the disc; 0: computed, negative: not worth it
    uint8_t choices[RAIM_REACH_CHOICES]; // the RAIM_REACH_ choice behind each point of a player
    int count;                           // 1 for a player that cannot move
    raim_vec2 centre;
    double extent;                    // the radius of the disc around all
    struct raim_reachability *source; // computes the points; NULL where all are
    int steps;
};

// A lazily filled table of the points that one player can reach. The player is free at its centre.
struct raim_reachability {
    const struct raim_map *map;
    raim_vec2 centre;
    double radius, step; // units
    int steps;           // at most
    double free_steps;   // number of steps without an obstacle in any direction
    struct raim_run {
        double clear_steps; // steps before the first obstacle; negative: not computed yet
        int computed;       // the last of its points that is computed
    } runs[RAIM_RUN_DIRECTIONS];
    raim_vec2 *points; // by direction, then steps; computed from the first obstacle on
};

// Begins a table for a player of a radius that runs up to `steps` steps of the length `step`.
// `points` has room for RAIM_RUN_DIRECTIONS * (steps + 1) points. Borrows the map and the points.
void raim_reachability_begin(struct raim_reachability *table, const struct raim_map *map,
                             raim_vec2 centre, double radius, double step, int steps,
                             raim_vec2 *points);

// Returns the point that a choice leads to in a number of steps, 0 to the table's: a straight run
// by raim_map_move that slides along obstacles and turns once at most. A player that is kept on the
// map's grid ends within about one grid step of it.
raim_vec2 raim_reachability_at(struct raim_reachability *table, int choice, int steps);

// Collects the points that may be worth testing for a number of steps, 0 to the table's: the
// position, the straight runs and, near obstacles, the turns into blocked directions. Computes only
// those that are in the open; the reach borrows the table for the others.
void raim_reachability_find(struct raim_reachability *table, int steps, struct raim_reach *reach);

// Computes a point of a reach. Returns false for one that is not worth testing: a turn into a
// direction that is not blocked, or from one that is.
bool raim_reach_compute(struct raim_reach *reach, int index);

// Returns the choice of the straight run that leads most nearly in a direction, which is not 0.
int raim_reachability_choice(raim_vec2 way);
