// SPDX-License-Identifier: MIT
// Notices when an arena cannot keep up: overloaded is one of whose ticks of the last ten seconds
// more than a tenth began late or were skipped, until fewer than a twentieth are. Between the two
// it stays what it was, so that the log has a line per change and not one per second. Thread rule:
// the main thread's alone.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// How often to look.
#define OVERLOAD_EVERY_MS 1000U

enum {
    OVERLOAD_WINDOW = 10,        // looks
    OVERLOAD_BEGIN_PERCENT = 10, // of the ticks that are due in a window
    OVERLOAD_END_PERCENT = 5,
};

// Zeroed for an arena that begins.
struct overload {
    uint64_t late[OVERLOAD_WINDOW], skipped[OVERLOAD_WINDOW]; // counts of the last samples; rings
    uint32_t samples;                                         // ever
    bool is_on;
    uint32_t due;                               // ticks of a window
    uint64_t late_in_window, skipped_in_window; // as of the last look
};

// Looks at what an arena has counted since its start. True when its state has changed.
bool overload_update(struct overload *overload, uint64_t late_ticks, uint64_t skipped_ticks,
                     uint32_t tick_hz);

// Writes "late=... skipped=... due=...", of the last window, for the log.
#define OVERLOAD_LINE_BYTES 96
void overload_write(const struct overload *overload, char line[OVERLOAD_LINE_BYTES]);
