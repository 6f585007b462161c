// SPDX-License-Identifier: MIT
// Periodic duties of the main thread: feeds the service manager's watchdog, reports the number of
// players to it, logs overloaded arenas and rejected datagrams, and takes samples for the last
// hour's history. Main thread only.
#pragma once

#include "arena_table.h"

#include <stdint.h>

// Times in ms of CLOCK_MONOTONIC.
struct periodic {
    uint64_t watchdog_every_ms; // 0: no watchdog
    uint64_t next_watchdog_ms;
    uint64_t next_status_ms;
    uint64_t next_rejections_ms;
    uint64_t next_overload_ms;
};

// Every duty but the watchdog is due at once.
void periodic_start(struct periodic *periodic, uint64_t now_ms);

// Runs the duties that are due.
void periodic_run(struct periodic *periodic, struct arena_table *table, uint64_t now_ms);

// Milliseconds until the next duty is due.
int periodic_timeout_ms(const struct periodic *periodic, uint64_t now_ms);
