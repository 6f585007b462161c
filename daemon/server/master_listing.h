// SPDX-License-Identifier: MIT
// Lists the arenas at master servers: tells each arena their addresses as they are resolved, and
// logs which masters list it. Arenas on demand are not listed: a matchmaker sends players there.
// Main thread only.
#pragma once

#include "arena_list.h"
#include "config.h"
#include "metric.h"

#include <stdbool.h>
#include <stdint.h>

extern const struct metric_table master_listing_metrics; // of a struct master_listing

struct master_listing;
struct loop;

// Begins to resolve the masters. Copies `masters`, borrows the list. Returns NULL
// after logging the reason.
struct master_listing *master_listing_start(struct loop *loop, const struct config_masters *masters,
                                            const struct arena_list *list);

// Takes NULL.
void master_listing_stop(struct master_listing *master_listing);
