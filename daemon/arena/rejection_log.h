// SPDX-License-Identifier: MIT
// The rejection log: summarizes an arena's rejected datagrams, so that a flood costs one log line a
// minute instead of one per datagram. Main thread only.
#pragma once

#include "transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Period of rejection_log_update, in milliseconds.
#define REJECTION_LOG_EVERY_MS 60000

// The fewest rejections in a period that are worth a line: any public port receives a few strays.
#define REJECTION_LOG_MIN 100

#define REJECTION_LOG_LINE_BYTES 880

// The counters at the last update. All zero at first.
struct rejection_log {
    uint64_t seen[DATAGRAM_VERDICTS];
    uint64_t queries_seen;
};

// Compares the counters of an arena with those of the last update. Returns true if the difference
// is worth a line, and writes "count=..." and then each reason with a difference, as key=value.
bool rejection_log_update(struct rejection_log *log, const struct transport_stats *stats,
                          char line[REJECTION_LOG_LINE_BYTES]);
