// SPDX-License-Identifier: MIT
// What the main thread does by the clock: feeds the service manager's watchdog, tells it how many
// play, and logs which arenas are overloaded and what they refused. Main thread only.
#pragma once

#include "arena_table.h"

#include <stdint.h>

// Times in ms of CLOCK_MONOTONIC.
struct periodic {
    uint64_t watchdog_every_ms; // 0: never
    uint64_t next_watchdog_ms;
    uint64_t next_status_ms;
    uint64_t next_rejections_ms;
    uint64_t next_overload_ms;
};

// All but the watchdog is due at once.
void periodic_start(struct periodic *periodic, uint64_t now_ms);

// Does what is due.
void periodic_run(struct periodic *periodic, struct arena_table *table, uint64_t now_ms);

// Milliseconds until something is due.
int periodic_timeout_ms(const struct periodic *periodic, uint64_t now_ms);
