// SPDX-License-Identifier: MIT
// The broad phase for what moves: living players sorted into columns along x, rebuilt every step
// by one counting sort. A range of x is one contiguous run of candidates.
#pragma once

#include "world.h"

#define RAIM_BROADPHASE_COLUMNS 256

struct raim_broadphase {
    double min_x;
    double per_unit; // columns per unit of x
    double reach;    // the farthest any of them moved along an axis in this step
    uint32_t count;  // living players
    uint16_t starts[RAIM_BROADPHASE_COLUMNS + 1]; // of each column in `places`
    uint16_t slots[RAIM_MAX_PLAYERS];
};

// Sorts the living players; their x must lie within the border.
void raim_broadphase_build(struct raim_broadphase *broadphase, const struct raim_world *world,
                           raim_box border);

// The run of candidates whose column touches [min_x, max_x]: slots[*first] to slots[*end - 1].
void raim_broadphase_find(const struct raim_broadphase *broadphase, double min_x, double max_x,
                          uint32_t *first, uint32_t *end);
