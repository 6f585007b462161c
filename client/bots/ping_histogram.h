// SPDX-License-Identifier: MIT
// Histogram of round-trip times, for percentiles over many clients and seconds. Pure.
#pragma once

#include <stdint.h>

enum { PING_STEPS_PER_MS = 10, PING_STEPS = 2000 * PING_STEPS_PER_MS };

// Start from all zero.
struct ping_histogram {
    uint64_t count;
    uint32_t steps[PING_STEPS]; // the last one holds all longer times
};

void ping_histogram_add(struct ping_histogram *histogram, double ms);

// The smallest time in ms, rounded up to a tenth, that at least this share of the times, 0 to 1,
// does not exceed; 0 without any.
double ping_histogram_quantile(const struct ping_histogram *histogram, double share);
