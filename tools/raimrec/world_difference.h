// SPDX-License-Identifier: MIT
// Differences of two worlds, field by field, for people who look for the cause. Thread rule: the
// functions keep no state; any thread may call them.
#pragma once

#include "world.h"

#include <stdint.h>

enum world_part { WORLD_ITSELF, WORLD_PLAYER, WORLD_BULLET, WORLD_HISTORY };

struct world_difference {
    enum world_part part;
    uint32_t slot;     // of the player or bullet
    uint32_t tick;     // of WORLD_HISTORY
    raim_player_id id; // of the player, or of the bullet's owner, in the recorded world or, where
                       // that has none, in the simulated one
    const char *field; // its name in world.h
    double recorded, simulated;
};

// Lists the fields in which two worlds of the same sizes differ, in the order of the worlds' bytes,
// up to `capacity`. Returns the number of all.
uint32_t world_difference_find(const struct raim_world *recorded,
                               const struct raim_world *simulated,
                               struct world_difference *differences, uint32_t capacity);
