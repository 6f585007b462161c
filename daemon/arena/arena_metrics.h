// SPDX-License-Identifier: MIT
// Tables of the metrics of an arena and its modules. Main thread only.
#pragma once

#include "arena.h"
#include "metric.h"

#include <stdint.h>

// What the rows are about, read once so that all show one moment.
struct arena_view {
    const struct config_arena *config;
    const struct arena_status *status; // valid until the next arena_status of this arena
    const struct overload *overload;
};

struct arena_view arena_view(struct arena *arena);

#define ARENA_METRIC_TABLES 8

extern const struct metric_table *const arena_metric_tables[ARENA_METRIC_TABLES];

// The object of each table.
void arena_metric_objects(const struct arena_view *view, const void *objects[ARENA_METRIC_TABLES]);

// Rejections of an arena by reason: one list of the counters of the match and of the datagram
// checks. Reasons with an equal name are added up.

// The most reasons with different names.
#define REJECTIONS_MAX_REASONS ((int)RAIM_REJECTIONS + (int)DATAGRAM_VERDICTS)

struct rejections {
    const char *reason; // [a-z_]+
    uint64_t count;
};

// Fills the list, counts of zero included, always in one order. Returns its length.
int rejections_list(const struct arena_status *status,
                    struct rejections list[REJECTIONS_MAX_REASONS]);
