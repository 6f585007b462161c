// SPDX-License-Identifier: MIT
// What an arena refused, by reason: those of the match and those of the datagram check in one
// list. Reasons that share a name are one to the reader.
#pragma once

#include "arena.h"

#include <stdint.h>

// At most so many reasons have names of their own.
#define REJECTIONS_MAX_REASONS ((int)RAIM_REFUSALS + (int)DATAGRAM_VERDICTS)

struct rejections {
    const char *reason; // [a-z_]+
    uint64_t count;
};

// Fills the list, zeros too, always in the same order; returns how many there are.
int rejections_list(const struct arena_status *status,
                    struct rejections list[REJECTIONS_MAX_REASONS]);
