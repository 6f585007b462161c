// SPDX-License-Identifier: MIT
// What the dashboard draws of an arena, as JSON: its map, and who and what moves in it.
#pragma once

#include "arena_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// By how much a spectator of the arena sees everything late.
uint64_t live_delay_ms(const struct arena_list *list, int arena);

// {"name", "mark", "border": [x, y, x, y], "obstacles": [[x, y, ...], ...], "player_radius"}, in
// units, as a NUL-terminated string that the caller frees. NULL when there is no such arena, which
// sets `missing`, or memory runs out.
char *live_map_json(const struct arena_list *list, const char *name, bool *missing);

// The newest published positions as an event of a stream of Server-Sent Events:
//     data: {"tick":9,"map":7,"players":[[id,x,y,aim,shielded],...],"bullets":[[x,y],...]}
// `map` is the mark of the map that is played on: another one, another map. Only the living, units
// rounded to integers, aim in 65536ths of a turn; followed by an empty line and a NUL. The caller
// frees it. NULL when nothing was published since `*tick`, which it then updates, or when memory
// runs out.
char *live_event(const struct arena_list *list, int arena, uint32_t *tick, size_t *size);
