// SPDX-License-Identifier: MIT
// Loads what queries read of a map into the processor's cache, ahead of the queries of a tick.
// Thread rule: any threads may share the map.
#pragma once

#include "map.h"

// Loads a map, unless that are more than `most` bytes. It takes about 4 ns for each 64 bytes that
// are not in the cache.
void raim_map_preload(const struct raim_map *map, size_t most);
