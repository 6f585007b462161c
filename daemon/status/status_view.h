// SPDX-License-Identifier: MIT
// What the documents of the status and the metrics are made of. Main thread only.
#pragma once

#include "arena_list.h"
#include "metric.h"

#include <stdint.h>

struct last_hour;
struct process_usage;

// All borrowed.
struct status_view {
    const struct arena_list *list;
    const struct metric_source *sources; // of the modules that belong to no arena
    int source_count;
    uint64_t started_ms;           // CLOCK_MONOTONIC
    struct last_hour *last_hour;   // NULL: none
    struct process_usage *process; // NULL: unknown
};
