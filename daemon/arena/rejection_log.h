// SPDX-License-Identifier: MIT
// Notices that much is refused, so that a flood is a line a minute in the log and not one each
// time.
#pragma once

#include "transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How often to look.
#define REJECTION_LOG_EVERY_MS 60000

// Fewer datagrams in that time are nothing to speak of: the internet is full of strays.
#define REJECTION_LOG_MIN 100

#define REJECTION_LOG_LINE_BYTES 880

// What had been refused at the last look; at first zero.
struct rejection_log {
    uint64_t seen[DATAGRAM_VERDICTS];
    uint64_t queries_seen;
};

// Looks at an arena's counts. True when there is something to tell: writes "count=..." and then
// each reason that has any, as key=value.
bool rejection_log_update(struct rejection_log *log, const struct transport_stats *stats,
                          char line[REJECTION_LOG_LINE_BYTES]);
