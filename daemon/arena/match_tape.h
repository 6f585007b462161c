// SPDX-License-Identifier: MIT
// The memory with which a match can be recorded: a tape for its world, and its scene as bytes. The
// main thread allocates it with the match, and it moves with the match from one prepared match to
// the next.
#pragma once

#include "match.h"
#include "tape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct match_tape {
    void *memory; // of a tape; NULL: the match cannot be recorded
    uint8_t *scene;
    size_t scene_size;
};

// Allocates the memory. Returns false when memory runs out. Main thread.
bool match_tape_create(struct match_tape *tape, const struct raim_match *match);

// Frees it. Accepts one that is all zero. Main thread.
void match_tape_destroy(struct match_tape *tape);
