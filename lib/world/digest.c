// SPDX-License-Identifier: MIT
// Digests of bytes, worlds and maps by XXH3.
#include "digest.h"

#include <xxhash.h>

#include <string.h>

uint64_t raim_digest(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

uint64_t raim_world_digest(const struct raim_world *world)
{
    return raim_digest(world, raim_world_bytes(world));
}

// Chains the digests of the parts: each one is the seed of the next.
static uint64_t digest_map(const struct raim_map *map, uint64_t digest)
{
    digest = XXH3_64bits_withSeed(map->name, strlen(map->name), digest);
    digest = XXH3_64bits_withSeed(&map->border, sizeof map->border, digest);
    for (int i = 0; i < map->obstacle_count; i++) {
        const raim_polygon *obstacle = &map->obstacles[i];
        const size_t size = (size_t)obstacle->count * sizeof obstacle->points[0];
        digest = XXH3_64bits_withSeed(obstacle->points, size, digest + obstacle->seams);
    }
    const size_t size = (size_t)map->spawn_count * sizeof map->spawns[0];
    return XXH3_64bits_withSeed(map->spawns, size, digest);
}

uint64_t raim_world_identity(const struct raim_world *world, const struct raim_map *map)
{
    struct raim_world lasting = *world; // without the members that a tick changes
    lasting.random = 0;
    lasting.tick = 0;
    return digest_map(map, raim_digest(&lasting, sizeof lasting));
}
