// SPDX-License-Identifier: MIT
// Detects overload by comparing counts with those of ten and of five seconds ago, paces snapshots
// by the lateness of ticks, and measures the stages of a tick.
#include "arena_load.h"

#include "monotonic.h"

#include <inttypes.h>
#include <stdio.h>

static const struct metric rows[] = {
    {"overloaded", "raimd_arena_overloaded",
     "1 while more than 10 % of the ticks of the last 10 s were late or skipped, else 0.",
     METRIC_FLAG, METRIC_OF(struct overload, is_on), .column = "overloaded"},
};

const struct metric_table overload_metrics = {METRIC_ROWS(rows)};

bool overload_update(struct overload *overload, uint64_t late_ticks, uint64_t skipped_ticks,
                     uint32_t tick_hz, uint32_t busy_percent)
{
    const uint32_t oldest = overload->samples++ % OVERLOAD_WINDOW;
    overload->late_in_window = late_ticks - overload->late[oldest];
    overload->skipped_in_window = skipped_ticks - overload->skipped[oldest];
    overload->late[oldest] = late_ticks;
    overload->skipped[oldest] = skipped_ticks;
    overload->due = OVERLOAD_WINDOW * OVERLOAD_EVERY_MS / 1000 * tick_hz;
    const bool was_on = overload->is_on;
    const uint64_t missed = overload->late_in_window + overload->skipped_in_window;
    const uint64_t limit =
        (uint64_t)overload->due * (was_on ? OVERLOAD_END_PERCENT : OVERLOAD_BEGIN_PERCENT) / 100;
    overload->is_on = was_on ? missed >= limit : missed > limit;
    overload->is_of_machine = busy_percent < OVERLOAD_MACHINE_PERCENT;
    return overload->is_on != was_on;
}

const char *overload_cause(const struct overload *overload)
{
    return overload->is_of_machine ? "machine" : "raimd";
}

void overload_write(const struct overload *overload, char line[OVERLOAD_LINE_BYTES])
{
    snprintf(line, OVERLOAD_LINE_BYTES, "late=%" PRIu64 " skipped=%" PRIu64 " due=%" PRIu32,
             overload->late_in_window, overload->skipped_in_window, overload->due);
}

bool worker_load_update(struct worker_load *load, uint64_t busy_ns, uint64_t now_ns)
{
    const uint32_t oldest = load->samples % WORKER_LOAD_WINDOW;
    const uint64_t passed_ns = now_ns - load->at_ns[oldest];
    const bool was_on = load->is_on;
    if (load->samples >= WORKER_LOAD_WINDOW && passed_ns > 0)
        load->percent = (uint32_t)((busy_ns - load->busy_ns[oldest]) * 100 / passed_ns);
    load->busy_ns[oldest] = busy_ns;
    load->at_ns[oldest] = now_ns;
    load->samples++;
    load->is_on = was_on ? load->percent >= WORKER_LOAD_END_PERCENT
                         : load->percent > WORKER_LOAD_BEGIN_PERCENT;
    return load->is_on != was_on;
}

void snapshot_pace_init(struct snapshot_pace *pace, uint32_t tick_hz)
{
    const uint32_t most = tick_hz / SNAPSHOT_PACE_MIN_HZ;
    *pace = (struct snapshot_pace){
        .most = most < SNAPSHOT_PACE_MAX ? most : SNAPSHOT_PACE_MAX,
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
    const uint64_t most_ns = SNAPSHOT_PACE_MAX_PERIODS * period_ns;
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

const char *const tick_stage_names[TICK_STAGES] = {
    [TICK_STAGE_RECEIVE] = "receive",   [TICK_STAGE_STEP] = "step",
    [TICK_STAGE_INTEREST] = "interest", [TICK_STAGE_ENCODE] = "encode",
    [TICK_STAGE_SEND] = "send",
};

void tick_timer_begin(struct tick_timer *timer, bool is_on, uint64_t now_ns)
{
    timer->is_on = is_on;
    if (is_on)
        *timer = (struct tick_timer){.is_on = true, .since_ns = now_ns};
}

void tick_timer_enter(struct tick_timer *timer, enum tick_stage stage)
{
    if (!timer->is_on)
        return;
    const uint64_t now_ns = monotonic_ns();
    timer->spent_ns[timer->stage] += now_ns - timer->since_ns;
    timer->since_ns = now_ns;
    timer->stage = stage;
}

void tick_timer_end(struct tick_timer *timer, struct tick_profile *profile)
{
    if (!timer->is_on)
        return;
    tick_timer_enter(timer, timer->stage);
    const uint32_t row = profile->count++ % TICK_PROFILE_WINDOW;
    for (int stage = 0; stage < TICK_STAGES; stage++) {
        const uint64_t ns = timer->spent_ns[stage];
        profile->ns[stage][row] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
        histogram_count(&profile->stages[stage], ns);
    }
    timer->is_on = false;
}

uint32_t tick_profile_kept(const struct tick_profile *profile)
{
    return profile->count < TICK_PROFILE_WINDOW ? profile->count : TICK_PROFILE_WINDOW;
}
