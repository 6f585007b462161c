// SPDX-License-Identifier: MIT
// The broad phase for pairs of players: living players sorted into columns along x by one counting
// sort. The order of the pairs is part of the rules, because a push changes the next one.
// Units: coordinates are in units. Thread rule: a broad phase belongs to one thread at a time.
#pragma once

#include "world.h"

#define RAIM_BROADPHASE_COLUMNS 256

struct raim_broadphase {
    double min_x;
    double per_unit;                              // columns per unit of x
    uint32_t count;                               // living players
    uint16_t starts[RAIM_BROADPHASE_COLUMNS + 1]; // of each column in the arrays below
    uint16_t slots[RAIM_MAX_PLAYERS];             // by column, then slot
    raim_vec2 positions[RAIM_MAX_PLAYERS];        // of the players in `slots`
};

// Sorts the living players among `count` slots, which ascend. Their x must lie within the border.
void raim_broadphase_build(struct raim_broadphase *broadphase, const raim_player *players,
                           const uint16_t *slots, uint32_t count, raim_box border);

// Returns the end, in the arrays, of the column that x lies in.
uint32_t raim_broadphase_end(const struct raim_broadphase *broadphase, double x);
