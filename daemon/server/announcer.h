// SPDX-License-Identifier: MIT
// Lists the arenas at master servers: tells each arena their addresses as they are resolved, and
// logs which masters list it. Rooms are not listed: who plays in one is sent there. Main thread
// only.
#pragma once

#include "arena_list.h"
#include "config.h"

#include <stdbool.h>
#include <stdint.h>

struct announcer;

// Begins to resolve the masters. Copies `masters`. `report` is filled for the status. Returns NULL
// after logging the reason.
struct announcer *announcer_start(const struct config_masters *masters,
                                  struct arena_list_masters *report);

// Takes NULL.
void announcer_stop(struct announcer *announcer);

// Call it as often as the main thread wakes; it does little more than once a second.
void announcer_run(struct announcer *announcer, const struct arena_list *list, uint64_t now_ms);

// Milliseconds until announcer_run has something to do.
int announcer_timeout_ms(const struct announcer *announcer, uint64_t now_ms);
