// SPDX-License-Identifier: MIT
// Keeps the newest delays sorted.
#include "jitter_estimator.h"

#include <math.h>
#include <string.h>

// The index of the first sorted delay that is not below this one.
static uint32_t find(const struct raim_lateness *lateness, int64_t delay_us)
{
    uint32_t low = 0, high = lateness->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (lateness->sorted[middle] < delay_us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void raim_lateness_add(struct raim_lateness *lateness, int64_t delay_us)
{
    int64_t *sorted = lateness->sorted;
    if (lateness->count == RAIM_LATENESS_SAMPLES) {
        const uint32_t oldest = find(lateness, lateness->samples[lateness->next]);
        lateness->count--;
        memmove(&sorted[oldest], &sorted[oldest + 1], (lateness->count - oldest) * sizeof *sorted);
    }
    const uint32_t index = find(lateness, delay_us);
    memmove(&sorted[index + 1], &sorted[index], (lateness->count - index) * sizeof *sorted);
    sorted[index] = delay_us;
    lateness->count++;
    lateness->samples[lateness->next] = delay_us;
    lateness->next = (lateness->next + 1) % RAIM_LATENESS_SAMPLES;
}

int64_t raim_lateness_of(const struct raim_lateness *lateness, double share)
{
    if (lateness->count == 0)
        return 0;
    const uint32_t above = (uint32_t)ceil(share * lateness->count);
    return lateness->sorted[above > 0 ? above - 1 : 0];
}
