// SPDX-License-Identifier: MIT
// Frame times: how long each of the last frames was shown. Pure.
#pragma once

#include <stdint.h>

enum { FRAME_TIMES = 1024 };

// Start from all zero.
struct frame_times {
    double last_s;  // when the newest frame was shown; 0: none
    uint32_t count; // times ever taken; `times_ms` is a ring
    float times_ms[FRAME_TIMES];
};

// Takes the time at which a frame was shown. A gap of more than a second is a pause and no frame's
// time: the window was hidden.
void frame_times_take(struct frame_times *times, double now_s);

// Of the last frames; all zero before the second one.
struct frame_summary {
    double hz, p50_ms, p99_ms, newest_ms;
};
struct frame_summary frame_times_summary(const struct frame_times *times);
