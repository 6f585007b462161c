// SPDX-License-Identifier: MIT
// The digest of a world, for golden tests and checkpoints.
#include "world.h"

#include <xxhash.h>

uint64_t raim_world_digest(const struct raim_world *world)
{
    return XXH3_64bits(world, raim_world_bytes(world));
}
