// SPDX-License-Identifier: MIT
// Distribution of a measure: quantiles of any number of values in a fixed size. Log-linear buckets
// after HdrHistogram (Tene, 2012): values below 64 are counted exactly, greater ones in 32 buckets
// an octave, so that a quantile is off by less than 1/64 of its value. The least and the greatest
// value are exact. Thread rule: a distribution belongs to one thread at a time.
#pragma once

#include <stdint.h>

#define DISTRIBUTION_LINEAR 64        // values below are counted one by one
#define DISTRIBUTION_PER_OCTAVE 32    // buckets of each octave above
#define DISTRIBUTION_OCTAVES 14       // above DISTRIBUTION_LINEAR
#define DISTRIBUTION_LIMIT (1u << 20) // values from here on are counted as the greatest below

// All zero: empty.
struct distribution {
    uint64_t count;
    uint32_t least, greatest; // of all values; 0 without any
    uint32_t buckets[DISTRIBUTION_LINEAR + DISTRIBUTION_OCTAVES * DISTRIBUTION_PER_OCTAVE];
};

// Counts a value.
void distribution_add(struct distribution *distribution, uint32_t value);

// Returns the value that a share of all values, 0 to 1, does not exceed (nearest rank); 0 without
// any value.
double distribution_quantile(const struct distribution *distribution, double share);

// Returns the share of the values that are below a bound. It is exact for bounds up to
// DISTRIBUTION_LINEAR, otherwise the bucket of the bound counts as not below. 0 without any value.
double distribution_share_below(const struct distribution *distribution, uint32_t bound);
