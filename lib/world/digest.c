// SPDX-License-Identifier: MIT
// The digest of a world, for golden tests and checkpoints.
#include "world.h"

#include <xxhash.h>

uint64_t raim_world_digest(const struct raim_world *world)
{
    const size_t size = sizeof *world + world->max_players * sizeof(raim_player) +
                        world->max_bullets * sizeof(raim_bullet);
    return XXH3_64bits(world, size);
}
