// SPDX-License-Identifier: MIT
// Notices that much is refused, so that a flood is a line a minute in the log and not one each
// time.
#pragma once

#include "transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How often to look.
#define FLOOD_EVERY_MS 60000

// Fewer datagrams in that time are nothing to speak of: the internet is full of strays.
#define FLOOD_LEAST 100

#define FLOOD_LINE_BYTES 880

// What had been refused at the last look; at first zero.
struct flood {
    uint64_t seen[DATAGRAM_VERDICTS];
    uint64_t queries_seen;
};

// Looks at an arena's counts. True when there is something to tell: writes "count=..." and then
// each reason that has any, as key=value.
bool flood_look(struct flood *flood, const struct transport_stats *stats,
                char line[FLOOD_LINE_BYTES]);
