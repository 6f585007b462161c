// SPDX-License-Identifier: MIT
// The object of one arena in the status. Main thread only.
#pragma once

#include "arena.h"

#include <stdint.h>

struct json_t;

// Sums over all arenas.
struct status_totals {
    uint64_t now, bots, spectators; // connected players; bots; spectators
    uint64_t max;                   // player slots without bots
};

// The object of an arena, which is added to `totals`. NULL when memory runs out.
struct json_t *status_arena_object(struct arena *arena, struct status_totals *totals);
