// SPDX-License-Identifier: MIT
// Counts durations in fixed buckets.
#include "histogram.h"

const uint64_t histogram_bounds_ns[HISTOGRAM_BOUNDS] = {
    50000,   100000,  250000,   500000,   1000000,   2500000,
    4166667, 8333334, 16666667, 33333334, 100000000, 1000000000,
};

void histogram_count(struct histogram *histogram, uint64_t duration_ns)
{
    int bucket = 0;
    while (bucket < HISTOGRAM_BOUNDS && duration_ns > histogram_bounds_ns[bucket])
        bucket++;
    histogram->buckets[bucket]++;
    histogram->sum_ns += duration_ns;
}
