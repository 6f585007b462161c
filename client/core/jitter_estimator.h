// SPDX-License-Identifier: MIT
// How late what is sent in a steady beat arrives: of the newest of it, the earliest, and what part
// of it came how much later.
#pragma once

#include <stdint.h>

#define RAIM_LATENESS_SAMPLES 128

// Microseconds from some common start. Zeroed it is empty.
struct raim_lateness {
    uint32_t count, next;
    int64_t samples[RAIM_LATENESS_SAMPLES]; // ring
    int64_t sorted[RAIM_LATENESS_SAMPLES];  // the same, ascending
};

void raim_lateness_add(struct raim_lateness *lateness, int64_t delay_us);

// The delay that a share of the samples, 0 to 1, did not exceed; 0 where there are none.
int64_t raim_lateness_of(const struct raim_lateness *lateness, double share);
