// SPDX-License-Identifier: MIT
// Digests (XXH3, 64 bits): against accidents, not against anybody.
#pragma once

#include "world.h"

// Of any bytes.
uint64_t raim_digest(const void *bytes, size_t size);

// Of all that two worlds on these maps must have in common for one to go on where the other was:
// rules, ticks, sizes, and everything of the map.
uint64_t raim_world_identity(const struct raim_world *world, const struct raim_map *map);
