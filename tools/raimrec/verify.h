// SPDX-License-Identifier: MIT
// raimrec verify: plays recordings again and compares every digest and keyframe in them, and lists
// where two worlds differ.
#pragma once

#include "world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sysexits.h>

// Exit statuses, in the order in which the first that applies to any file wins.
enum verify_status {
    VERIFY_GOOD = 0,
    VERIFY_DIFFERS = 1, // or is damaged
    VERIFY_UNREADABLE = EX_NOINPUT,
    VERIFY_OTHER_VERSION = EX_PROTOCOL, // the recording needs another version
};

// Verifies the files in turn and prints a line for each, followed by the lines that explain it.
enum verify_status verify_files(char *const *paths, int count, FILE *out);

// Differences of two worlds, field by field, for people who look for the cause. Thread rule: the
// functions keep no state; any thread may call them.

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
