// SPDX-License-Identifier: MIT
// Reserved seats of an arena: until a deadline, a player who is not named gets a seat only if the
// named players who have not come yet keep theirs. A seat stays reserved until its player has taken
// it once. Time comes from the caller. Thread rule: belongs to one thread at a time.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stdint.h>

struct seats;

// Copies `count` different names, of RAIM_MAX_NAME_BYTES + 1 bytes each. Returns NULL when memory
// runs out.
struct seats *seats_create(const char (*names)[RAIM_MAX_NAME_BYTES + 1], uint32_t count,
                           uint64_t until_ms);

// Takes NULL.
void seats_destroy(struct seats *seats);

// Whether a player of this name may sit down, where `playing` of `most` seats are taken. A named
// player's seat counts as taken from now on.
bool seats_take(struct seats *seats, const char *name, uint32_t playing, uint32_t most,
                uint64_t now_ms);
