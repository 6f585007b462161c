// SPDX-License-Identifier: MIT
// Durations, counted by how long they are: fixed buckets, so that counting costs a short search,
// allocates nothing, and copies travel between threads as plain values.
#pragma once

#include <stdint.h>

#define HISTOGRAM_BOUNDS 12

// The longest duration of each bucket in nanoseconds, ascending. Among them are 1/60 s, which is
// what a tick has at 60 Hz, and a quarter of that, by which it may begin late. Rounded up: a
// period in whole nanoseconds is never longer.
extern const uint64_t histogram_bounds_ns[HISTOGRAM_BOUNDS];

struct histogram {
    uint64_t
        buckets[HISTOGRAM_BOUNDS + 1]; // by the first bound that is not exceeded; then the rest
    uint64_t sum_ns;
};

void histogram_count(struct histogram *histogram, uint64_t duration_ns);
