// SPDX-License-Identifier: MIT
// Pushes overlapping players apart. Units: as in world.h. Thread rule: a struct raim_player_push
// belongs to one thread at a time; any threads may share the map.
#pragma once

#include "world.h"

enum { RAIM_PLAYER_PUSH_COLUMNS = 256 };

// Scratch memory, the broad phase for pairs of players: living players sorted into columns along x
// by one counting sort.
struct raim_player_push {
    double min_x;
    double per_unit;                               // columns per unit of x
    uint32_t count;                                // living players
    uint16_t starts[RAIM_PLAYER_PUSH_COLUMNS + 1]; // of each column in the arrays below
    uint16_t slots[RAIM_MAX_PLAYERS];              // by column, then slot
    raim_vec2 positions[RAIM_MAX_PLAYERS];         // of the players in `slots`
};

// Pushes the living players among `count` slots, which ascend, apart in one pass. The next tick
// resolves what remains in a crowd. The order of the pairs is part of the rules, because a push
// changes the next one.
void raim_player_push_apart(struct raim_player_push *push, raim_player *players,
                            const uint16_t *slots, uint32_t count, const struct raim_map *map,
                            double radius);
