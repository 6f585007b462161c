// SPDX-License-Identifier: MIT
// Compares an arena's counts of late and skipped ticks with those of ten seconds ago, and a
// worker's busy time with that of five seconds ago.
#include "overload.h"

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
