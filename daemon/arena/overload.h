// SPDX-License-Identifier: MIT
// Overload detection with hysteresis, of arenas and of workers. An arena is overloaded once more
// than a tenth of the ticks of the last ten seconds began late or were skipped, until fewer than a
// twentieth are. Between the two thresholds the state stays, so that the log has a line per change
// and not one per second. Thread rule: main thread only.
#pragma once

#include "metric.h"

#include <stdbool.h>
#include <stdint.h>

// Period of overload_update.
#define OVERLOAD_EVERY_MS 1000U

enum {
    OVERLOAD_WINDOW = 10,        // samples
    OVERLOAD_BEGIN_PERCENT = 10, // of the ticks that are due in the window
    OVERLOAD_END_PERCENT = 5,
    OVERLOAD_MACHINE_PERCENT = 50, // a worker that is less busy is not the cause
};

// Zeroed for a new arena.
struct overload {
    uint64_t late[OVERLOAD_WINDOW], skipped[OVERLOAD_WINDOW]; // rings of samples
    uint32_t samples;                                         // ever taken
    bool is_on;
    bool is_of_machine;                         // its worker had time left
    uint32_t due;                               // ticks that are due in the window
    uint64_t late_in_window, skipped_in_window; // as of the newest sample
};

extern const struct metric_table overload_metrics; // of a struct overload

// Adds a sample: the counts of an arena since its start, and how busy its worker was in the last
// seconds. Returns true if the state has changed.
bool overload_update(struct overload *overload, uint64_t late_ticks, uint64_t skipped_ticks,
                     uint32_t tick_hz, uint32_t busy_percent);

// Who is late, of an overload: "raimd", or "machine", which did not run a worker that had little to
// do.
const char *overload_cause(const struct overload *overload);

// Writes "late=... skipped=... due=..." of the last window, for the log.
#define OVERLOAD_LINE_BYTES 96
void overload_write(const struct overload *overload, char line[OVERLOAD_LINE_BYTES]);

// A worker is overloaded once it was busy for more than 90 % of five seconds, until it was for less
// than 75 %. Its ticks may still be in time, but nothing is left for one more player.
enum {
    WORKER_LOAD_WINDOW = 5, // samples, of OVERLOAD_EVERY_MS
    WORKER_LOAD_BEGIN_PERCENT = 90,
    WORKER_LOAD_END_PERCENT = 75,
};

// Zeroed for a new worker.
struct worker_load {
    uint64_t busy_ns[WORKER_LOAD_WINDOW], at_ns[WORKER_LOAD_WINDOW]; // rings of samples
    uint32_t samples;                                                // ever taken
    uint32_t percent;                                                // of the last window
    bool is_on;
};

// Adds a sample: the worker's busy time since its start, at a time of CLOCK_MONOTONIC. Returns true
// if the state has changed.
bool worker_load_update(struct worker_load *load, uint64_t busy_ns, uint64_t now_ns);
