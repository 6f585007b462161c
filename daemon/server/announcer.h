// SPDX-License-Identifier: MIT
// Lists the arenas at master servers: tells each arena their addresses as they are resolved, and
// logs which masters list it. Rooms are not listed: who plays in one is sent there. Main thread
// only.
#pragma once

#include "arena_list.h"
#include "config.h"
#include "metric.h"

#include <stdbool.h>
#include <stdint.h>

extern const struct metric_table announcer_metrics; // of a struct announcer

struct announcer;
struct loop;

// Begins to resolve the masters. Copies `masters`, borrows the list. Returns NULL
// after logging the reason.
struct announcer *announcer_start(struct loop *loop, const struct config_masters *masters,
                                  const struct arena_list *list);

// Takes NULL.
void announcer_stop(struct announcer *announcer);
