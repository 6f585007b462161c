// SPDX-License-Identifier: MIT
// The broad phase for players: living players sorted into columns along x, rebuilt every step by
// one counting sort. A range of x is one contiguous run of candidates. Units: coordinates are in
// units. Thread rule: a broad phase belongs to one thread at a time.
#pragma once

#include "world.h"

#define RAIM_BROADPHASE_COLUMNS 256

struct raim_broadphase {
    double min_x;
    double per_unit; // columns per unit of x
    double reach;    // the longest movement of a player along an axis in this step, in units
    uint32_t count;  // living players
    uint16_t starts[RAIM_BROADPHASE_COLUMNS + 1]; // of each column in `slots`
    uint16_t slots[RAIM_MAX_PLAYERS];
};

// Sorts the living players; their x must lie within the border.
void raim_broadphase_build(struct raim_broadphase *broadphase, const struct raim_world *world,
                           raim_box border);

// Finds the candidates whose column touches [min_x, max_x]: slots[*first] to slots[*end - 1].
void raim_broadphase_find(const struct raim_broadphase *broadphase, double min_x, double max_x,
                          uint32_t *first, uint32_t *end);
