// SPDX-License-Identifier: MIT
// Stores frame times in a ring, and sorts a copy of them for the percentiles.
#include "frame_times.h"

#include <stdlib.h>
#include <string.h>

static const double pause_s = 1;

void frame_times_take(struct frame_times *times, double now_s)
{
    const double time_s = now_s - times->last_s;
    if (times->last_s > 0 && time_s <= pause_s)
        times->times_ms[times->count++ % FRAME_TIMES] = (float)(time_s * 1e3);
    times->last_s = now_s;
}

static int compare(const void *a, const void *b)
{
    const float first = *(const float *)a, second = *(const float *)b;
    return (first > second) - (first < second);
}

struct frame_summary frame_times_summary(const struct frame_times *times)
{
    float sorted[FRAME_TIMES];
    const uint32_t count = times->count < FRAME_TIMES ? times->count : FRAME_TIMES;
    double sum_ms = 0;
    if (count == 0)
        return (struct frame_summary){0};
    memcpy(sorted, times->times_ms, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    for (uint32_t i = 0; i < count; i++)
        sum_ms += sorted[i];
    return (struct frame_summary){
        .hz = sum_ms > 0 ? 1e3 * count / sum_ms : 0,
        .p50_ms = sorted[count / 2],
        .newest_ms = times->times_ms[(times->count - 1) % FRAME_TIMES],
        .p99_ms = sorted[count - 1 - count / 100],
    };
}
