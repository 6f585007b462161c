// SPDX-License-Identifier: MIT
// Log-linear buckets and their quantiles.
#include "distribution.h"

#include <assert.h>
#include <math.h>

static_assert(DISTRIBUTION_LINEAR << DISTRIBUTION_OCTAVES == DISTRIBUTION_LIMIT,
              "the octaves reach the limit");
static_assert(DISTRIBUTION_LINEAR == 2 * DISTRIBUTION_PER_OCTAVE,
              "an octave's buckets are twice as wide as those of the octave below");

enum { BUCKETS = DISTRIBUTION_LINEAR + DISTRIBUTION_OCTAVES * DISTRIBUTION_PER_OCTAVE };

// The shift by which an octave's values become bucket numbers: 0 below DISTRIBUTION_LINEAR.
static uint32_t shift_of(uint32_t value)
{
    uint32_t shift = 0;
    while (value >> shift >= DISTRIBUTION_LINEAR)
        shift++;
    return shift;
}

static uint32_t bucket_of(uint32_t value)
{
    const uint32_t held = value < DISTRIBUTION_LIMIT ? value : DISTRIBUTION_LIMIT - 1;
    const uint32_t shift = shift_of(held);
    return shift * DISTRIBUTION_PER_OCTAVE + (held >> shift);
}

// The middle of a bucket.
static double value_of(uint32_t bucket)
{
    if (bucket < DISTRIBUTION_LINEAR)
        return bucket;
    const uint32_t shift = bucket / DISTRIBUTION_PER_OCTAVE - 1;
    const uint32_t first = (bucket - shift * DISTRIBUTION_PER_OCTAVE) << shift;
    return first + ((1u << shift) - 1) / 2.0;
}

void distribution_add(struct distribution *distribution, uint32_t value)
{
    if (distribution->count == 0 || value < distribution->least)
        distribution->least = value;
    if (value > distribution->greatest)
        distribution->greatest = value;
    distribution->count++;
    distribution->buckets[bucket_of(value)]++;
}

double distribution_quantile(const struct distribution *distribution, double share)
{
    assert(share >= 0 && share <= 1);
    if (distribution->count == 0)
        return 0;
    const double rank = fmax(1, ceil(share * (double)distribution->count));
    uint64_t below = 0;
    uint32_t bucket = 0;
    for (; bucket < BUCKETS - 1; bucket++) {
        below += distribution->buckets[bucket];
        if ((double)below >= rank)
            break;
    }
    return fmin(distribution->greatest, fmax(distribution->least, value_of(bucket)));
}

double distribution_share_below(const struct distribution *distribution, uint32_t bound)
{
    if (distribution->count == 0)
        return 0;
    uint64_t below = 0;
    for (uint32_t bucket = 0; bucket < bucket_of(bound); bucket++)
        below += distribution->buckets[bucket];
    return (double)below / (double)distribution->count;
}
