// SPDX-License-Identifier: MIT
// 64-bit digests (XXH3) for golden tests and checkpoints. They detect accidents; they are not
// cryptographic.
// Thread rule: the functions are pure; any thread may call them.
#pragma once

#include "world.h"

// Returns the digest of any bytes.
uint64_t raim_digest(const void *bytes, size_t size);

// Returns the digest of everything that two worlds must share for one to continue the other: rules,
// tick rate, sizes and the whole map.
uint64_t raim_world_identity(const struct raim_world *world, const struct raim_map *map);
