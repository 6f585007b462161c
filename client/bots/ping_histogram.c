// SPDX-License-Identifier: MIT
// Counts times in steps of a tenth of a millisecond.
#include "ping_histogram.h"

#include <math.h>

void ping_histogram_add(struct ping_histogram *histogram, double ms)
{
    const double step = fmin(fmax(floor(ms * PING_STEPS_PER_MS), 0), PING_STEPS - 1);
    histogram->steps[(int)step]++;
    histogram->count++;
}

double ping_histogram_quantile(const struct ping_histogram *histogram, double share)
{
    const double wanted = fmax(share * (double)histogram->count, 1);
    uint64_t passed = 0;
    for (int i = 0; i < PING_STEPS; i++) {
        passed += histogram->steps[i];
        if ((double)passed >= wanted)
            return (i + 1) / (double)PING_STEPS_PER_MS;
    }
    return 0;
}
