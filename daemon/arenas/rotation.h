// SPDX-License-Identifier: MIT
// The rotation of an arena: which map is played next, and the match that is prepared on it. Main
// thread only.
#pragma once

#include "arena_table.h"

#include <stdbool.h>

// Whether the wanted configuration has rounds: a time or a score limit.
bool rotation_has_rounds(const struct arena_slot *slot);

// The index, in the wanted rotation, of the map that is played, and of the map after it. Where the
// rotation does not contain the map, its last index is returned, so that the first map follows.
int rotation_find_map(const struct arena_slot *slot);
int rotation_next_map(const struct arena_slot *slot);

// Prepares a match with the slot's wanted configuration, on the map at `map_index`: 0 is the
// arena's first map, i the i-th of its rotation. With `keeps_map` a map that the operator chose
// stays. Returns NULL when memory runs out.
struct prepared_match *rotation_prepare(const struct arena_slot *slot, int map_index,
                                        bool keeps_map);

// Prepares a match that begins at once with a new round, on the first map of the configuration
// `map`, which was read from the file `path`. Shares `map`. Returns NULL when memory runs out.
struct prepared_match *rotation_prepare_map(const struct arena_slot *slot, struct config *map,
                                            const char *path);

// Begins a round on the map of the wanted rotation that has this name, at once. Returns false if
// there is none, or when memory runs out.
bool rotation_begin_map(const struct arena_slot *slot, const char *name);

// Prepares the match on the next map, unless there is one, so that it is ready when the round ends.
void rotation_prepare_next(const struct arena_slot *slot);
