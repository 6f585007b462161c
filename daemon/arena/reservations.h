// SPDX-License-Identifier: MIT
// Reserved slots of an arena: until a deadline, a player who is not named gets a slot only if the
// named players who have not come yet keep theirs. A slot stays reserved until its player has taken
// it once. Time comes from the caller. Thread rule: belongs to one thread at a time.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stdint.h>

struct reservations;

// Copies `count` different names, of RAIM_MAX_NAME_BYTES + 1 bytes each. Returns NULL when memory
// runs out.
struct reservations *reservations_create(const char (*names)[RAIM_MAX_NAME_BYTES + 1],
                                         uint32_t count, uint64_t until_ms);

// Takes NULL.
void reservations_destroy(struct reservations *reservations);

// Whether a player of this name may sit down, where `playing` of `most` slots are taken. A named
// player's slot counts as taken from now on.
bool reservations_take(struct reservations *reservations, const char *name, uint32_t playing,
                       uint32_t most, uint64_t now_ms);
