// SPDX-License-Identifier: MIT
// Compares the mean end of ticks with their period.
#include "snapshot_pace.h"

void snapshot_pace_init(struct snapshot_pace *pace, uint32_t tick_hz)
{
    const uint32_t most = tick_hz / SNAPSHOT_PACE_LEAST_HZ;
    *pace = (struct snapshot_pace){
        .most = most < SNAPSHOT_PACE_MOST ? most : SNAPSHOT_PACE_MOST,
        .window = tick_hz / SNAPSHOT_PACE_WINDOWS_PER_S,
        .interval = 1,
    };
}

static void change(struct snapshot_pace *pace, uint32_t interval)
{
    pace->settles = interval != pace->interval;
    pace->interval = interval;
    pace->calm = 0;
    pace->overdue = -SNAPSHOT_PACE_CATCH_UP_TICKS;
}

static void grow(struct snapshot_pace *pace)
{
    change(pace, pace->interval < pace->most ? pace->interval + 1 : pace->most);
}

// Ends a window in which ticks ended, on average, after `percent` of their period.
static void end_window(struct snapshot_pace *pace, uint64_t percent)
{
    if (pace->settles) {
        pace->settles = false;
        return;
    }
    if (percent > SNAPSHOT_PACE_BEGIN_PERCENT) {
        grow(pace);
        return;
    }
    // With the shorter interval a tick would take longer by this factor at most: when all of its
    // time went into snapshots.
    const uint64_t shorter = pace->interval - 1;
    if (shorter == 0 || percent * pace->interval > SNAPSHOT_PACE_END_PERCENT * shorter)
        pace->calm = 0;
    else if (++pace->calm >= SNAPSHOT_PACE_CALM_WINDOWS)
        change(pace, pace->interval - 1);
}

static void begin_window(struct snapshot_pace *pace)
{
    pace->ticks = 0;
    pace->sum_ns = 0;
}

uint32_t snapshot_pace_update(struct snapshot_pace *pace, uint64_t late_ns, uint64_t period_ns)
{
    const uint64_t most_ns = SNAPSHOT_PACE_MOST_PERIODS * period_ns;
    pace->sum_ns += late_ns < most_ns ? late_ns : most_ns;
    pace->overdue = late_ns > period_ns ? pace->overdue + 1 : 0;
    if (pace->overdue >= SNAPSHOT_PACE_OVERDUE_TICKS) {
        grow(pace);
        begin_window(pace);
    } else if (++pace->ticks == pace->window) {
        end_window(pace, 100 * pace->sum_ns / (pace->ticks * period_ns));
        begin_window(pace);
    }
    return pace->interval;
}
