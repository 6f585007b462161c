// SPDX-License-Identifier: MIT
// Rejections of an arena by reason: one list of the counters of the match and of the datagram
// checks. Reasons with an equal name are added up.
#pragma once

#include "arena.h"

#include <stdint.h>

// The most reasons with different names.
#define REJECTIONS_MAX_REASONS ((int)RAIM_REFUSALS + (int)DATAGRAM_VERDICTS)

struct rejections {
    const char *reason; // [a-z_]+
    uint64_t count;
};

// Fills the list, counts of zero included, always in one order. Returns its length.
int rejections_list(const struct arena_status *status,
                    struct rejections list[REJECTIONS_MAX_REASONS]);
