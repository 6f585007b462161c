// SPDX-License-Identifier: MIT
// Watches the rounds of an arena and reports each one that has ended, once. Worker thread, or the
// thread that has the arena.
#pragma once

#include "round_report.h"

struct arena;

// Reports the round whose break has begun. Call it after each tick.
void arena_rounds_run(struct arena *arena);

// Reports a round that has begun and is cut short, unless its end was reported. Call it before the
// match is replaced or ended.
void arena_rounds_cut(struct arena *arena, enum round_end ended);
