// SPDX-License-Identifier: MIT
// Histogram of durations with fixed buckets, as Prometheus histograms have: counting costs a short
// search and allocates nothing, and threads exchange histograms as plain values.
#pragma once

#include <stdint.h>

#define HISTOGRAM_BOUNDS 12

// The upper bound of each bucket in nanoseconds, inclusive, ascending. They include 1/60 s, a tick
// at 60 Hz, and a quarter of it, by which a tick may begin late. Both are rounded up, so that a
// period in whole nanoseconds never exceeds them.
extern const uint64_t histogram_bounds_ns[HISTOGRAM_BOUNDS];

// Bounds of a histogram of round trips, from a local network to the worst that can be played with.
extern const uint64_t histogram_ping_bounds_ns[HISTOGRAM_BOUNDS];

struct histogram {
    uint64_t buckets[HISTOGRAM_BOUNDS + 1]; // counts by bound, then those beyond the last bound
    uint64_t sum_ns;
};

// Counts a duration in nanoseconds by histogram_bounds_ns, or by other bounds, always the same of a
// histogram.
void histogram_count(struct histogram *histogram, uint64_t duration_ns);
void histogram_count_by(struct histogram *histogram, const uint64_t bounds_ns[HISTOGRAM_BOUNDS],
                        uint64_t duration_ns);
