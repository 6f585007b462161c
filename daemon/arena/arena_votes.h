// SPDX-License-Identifier: MIT
// Reports the votes of an arena's match to the main thread: that one was called, and how it ended,
// with the address of the player whom a kick meets. Worker thread.
#pragma once

#include "ip_address.h"

#include <stdint.h>

struct arena;

struct arena_votes {
    uint32_t number;           // of the newest vote that was seen
    uint32_t called;           // of the newest vote that was reported as called
    struct ip_address address; // of the target of vote `number`, as it was last seen; none: unknown
};

// Notes where the target of the running vote is. Call it before each step.
void arena_votes_watch(struct arena *arena);

// Reports what has happened since the last call. Call it after each step.
void arena_votes_run(struct arena *arena);

// Tells the match where a client is from, as keyed hashes of its address, or IPv6 /64, and of its
// network. Call it when a client has connected.
void arena_votes_note_origin(struct arena *arena, uint32_t peer);
