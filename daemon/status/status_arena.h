// SPDX-License-Identifier: MIT
// The object of one arena in the status. Main thread only.
#pragma once

#include "arena.h"

#include <stdint.h>

struct json_writer;

// Sums over all arenas.
struct status_totals {
    uint64_t now, bots, spectators; // connected players; bots; spectators
    uint64_t max;                   // player slots without bots
};

// Writes the object of an arena, and adds the arena to `totals`.
void status_write_arena(struct json_writer *json, struct arena *arena,
                        struct status_totals *totals);
