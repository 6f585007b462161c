// SPDX-License-Identifier: MIT
// Keeps the newest delays sorted.
#include "jitter_estimator.h"

#include <math.h>
#include <string.h>

// The index of the first sorted delay that is not below this one.
static uint32_t find(const struct raim_jitter_estimator *jitter, int64_t delay_us)
{
    uint32_t low = 0, high = jitter->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (jitter->sorted[middle] < delay_us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void raim_jitter_estimator_add(struct raim_jitter_estimator *jitter, int64_t delay_us)
{
    int64_t *sorted = jitter->sorted;
    if (jitter->count == RAIM_JITTER_ESTIMATOR_SAMPLES) {
        const uint32_t oldest = find(jitter, jitter->samples[jitter->next]);
        jitter->count--;
        memmove(&sorted[oldest], &sorted[oldest + 1], (jitter->count - oldest) * sizeof *sorted);
    }
    const uint32_t index = find(jitter, delay_us);
    memmove(&sorted[index + 1], &sorted[index], (jitter->count - index) * sizeof *sorted);
    sorted[index] = delay_us;
    jitter->count++;
    jitter->samples[jitter->next] = delay_us;
    jitter->next = (jitter->next + 1) % RAIM_JITTER_ESTIMATOR_SAMPLES;
}

int64_t raim_jitter_estimator_percentile(const struct raim_jitter_estimator *jitter, double share)
{
    if (jitter->count == 0)
        return 0;
    const uint32_t above = (uint32_t)ceil(share * jitter->count);
    return jitter->sorted[above > 0 ? above - 1 : 0];
}
