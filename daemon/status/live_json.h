// SPDX-License-Identifier: MIT
// JSON for the dashboard's live view of an arena: the map, and events with players and bullets.
#pragma once

#include "arena_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The spectator_delay of an arena in ms, rounded up.
uint64_t live_delay_ms(const struct arena_list *list, int arena);

// {"name", "hash", "border": [x, y, x, y], "obstacles": [[x, y, ...], ...], "player_radius"}, in
// units, as a NUL-terminated string that the caller frees. NULL when there is no such arena, which
// sets `missing`, or memory runs out.
char *live_map_json(const struct arena_list *list, const char *name, bool *missing);

// The newest published positions as an event of a stream of Server-Sent Events:
//     data: {"tick":9,"map":7,"players":[[id,x,y,aim,shielded],...],"bullets":[[x,y],...]}
// `map` is the hash of the current map. Only living players are listed. Coordinates are units
// rounded to integers; aim is in 1/65536 of a turn. An empty line and a NUL follow. Sets `*tick` to
// the tick of the event. The caller frees the text. Returns NULL if no newer tick than `*tick` was
// published, or when memory runs out.
char *live_event(const struct arena_list *list, int arena, uint32_t *tick, size_t *size);
