// SPDX-License-Identifier: MIT
// Load shedding by plan: how often each client of an arena receives a snapshot. An arena whose
// ticks end too late for their period sends each client only every second, third or fourth
// snapshot, in turn, so that both the time and the bytes of every tick shrink; ticks and inputs
// stay complete.
//
// The interval grows by a tick after OVERDUE_TICKS consecutive ticks that ended later than their
// period, and after each window of half a second in which ticks ended, on average, later than
// BEGIN_PERCENT of the period after their deadline. It shrinks only after five seconds in which
// they would have ended before END_PERCENT with the shorter interval, too. After a change neither
// the next CATCH_UP_TICKS overdue ticks nor the next window are judged: ticks that are behind have
// to catch up first.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    SNAPSHOT_PACE_MOST = 4,      // ticks between two snapshots of a client, at most
    SNAPSHOT_PACE_LEAST_HZ = 10, // snapshots of a client a second, at least, as PROTOCOL.md says
    SNAPSHOT_PACE_BEGIN_PERCENT = 90,
    SNAPSHOT_PACE_END_PERCENT = 80,
    SNAPSHOT_PACE_WINDOWS_PER_S = 2,
    SNAPSHOT_PACE_CALM_WINDOWS = 10, // before the interval shrinks
    // Twice as many as an arena plays at once after a stall; then it skips ticks and is in time.
    SNAPSHOT_PACE_OVERDUE_TICKS = 8,
    SNAPSHOT_PACE_CATCH_UP_TICKS = 4,
    // A tick counts for at most so many periods, so that a single stall of the machine is no load.
    SNAPSHOT_PACE_MOST_PERIODS = 2,
};

struct snapshot_pace {
    uint32_t most;     // highest interval, which leaves SNAPSHOT_PACE_LEAST_HZ
    uint32_t window;   // ticks of a window
    uint32_t interval; // ticks between two snapshots of a client, 1 to `most`
    uint32_t ticks;    // in the present window
    uint64_t sum_ns;   // from their deadlines to their ends
    uint32_t calm;     // consecutive windows after which the interval could shrink
    int32_t overdue; // consecutive ticks that ended late; below 0: those not judged after a change
    bool settles;    // the present window follows a change
};

// Starts with an interval of 1.
void snapshot_pace_init(struct snapshot_pace *pace, uint32_t tick_hz);

// Adds a tick that ended `late_ns` after its deadline. `period_ns` is that of the ticks. Returns
// the interval from the next tick on.
uint32_t snapshot_pace_update(struct snapshot_pace *pace, uint64_t late_ns, uint64_t period_ns);
