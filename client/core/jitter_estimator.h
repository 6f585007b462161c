// SPDX-License-Identifier: MIT
// Jitter estimator: percentiles of the delay of the newest packets of a steady stream.
#pragma once

#include <stdint.h>

#define RAIM_LATENESS_SAMPLES 128

// Delays are microseconds with a constant but unknown offset. Start from all zero.
struct raim_lateness {
    uint32_t count, next;
    int64_t samples[RAIM_LATENESS_SAMPLES]; // ring
    int64_t sorted[RAIM_LATENESS_SAMPLES];  // `samples` in ascending order
};

// Adds a delay; of many the newest RAIM_LATENESS_SAMPLES count.
void raim_lateness_add(struct raim_lateness *jitter, int64_t delay_us);

// The delay that a share of the samples, 0 to 1, did not exceed; 0 without samples.
int64_t raim_lateness_of(const struct raim_lateness *jitter, double share);
