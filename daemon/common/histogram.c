// SPDX-License-Identifier: MIT
// Counts durations in fixed buckets.
#include "histogram.h"

const uint64_t histogram_bounds_ns[HISTOGRAM_BOUNDS] = {
    50000,   100000,  250000,   500000,   1000000,   2500000,
    4166667, 8333334, 16666667, 33333334, 100000000, 1000000000,
};

const uint64_t histogram_ping_bounds_ns[HISTOGRAM_BOUNDS] = {
    5000000,   10000000,  20000000,  30000000,  50000000,  75000000,
    100000000, 150000000, 200000000, 300000000, 500000000, 1000000000,
};

void histogram_count(struct histogram *histogram, uint64_t duration_ns)
{
    histogram_count_by(histogram, histogram_bounds_ns, duration_ns);
}

void histogram_count_by(struct histogram *histogram, const uint64_t bounds_ns[HISTOGRAM_BOUNDS],
                        uint64_t duration_ns)
{
    int bucket = 0;
    while (bucket < HISTOGRAM_BOUNDS && duration_ns > bounds_ns[bucket])
        bucket++;
    histogram->buckets[bucket]++;
    histogram->sum_ns += duration_ns;
}
