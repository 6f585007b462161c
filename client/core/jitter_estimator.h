// SPDX-License-Identifier: MIT
// Jitter estimator: percentiles of the delay of the newest packets of a steady stream.
#pragma once

#include <stdint.h>

#define RAIM_JITTER_ESTIMATOR_SAMPLES 128

// Delays are microseconds with a constant but unknown offset. Start from all zero.
struct raim_jitter_estimator {
    uint32_t count, next;
    int64_t samples[RAIM_JITTER_ESTIMATOR_SAMPLES]; // ring
    int64_t sorted[RAIM_JITTER_ESTIMATOR_SAMPLES];  // `samples` in ascending order
};

// Adds a delay; of many the newest RAIM_JITTER_ESTIMATOR_SAMPLES count.
void raim_jitter_estimator_add(struct raim_jitter_estimator *jitter, int64_t delay_us);

// The delay that a share of the samples, 0 to 1, did not exceed; 0 without samples.
int64_t raim_jitter_estimator_percentile(const struct raim_jitter_estimator *jitter, double share);
