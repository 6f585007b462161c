// SPDX-License-Identifier: MIT
// SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014):
// a small random generator for worlds and bots, whose state is one number. Not for secrets. Thread
// rule: a state belongs to one thread at a time.
#pragma once

#include <stdint.h>

static inline uint64_t raim_random_next(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15u;
    uint64_t bits = *state;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return bits ^ (bits >> 31);
}

// Returns a number from 0 to bound - 1; bound must not be 0. The bias is below bound / 2^32.
static inline uint32_t raim_random_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(((raim_random_next(state) >> 32) * bound) >> 32);
}

// Returns a multiple of 2^-53 in [0, 1).
static inline double raim_random_unit(uint64_t *state)
{
    return (double)(raim_random_next(state) >> 11) * 0x1p-53;
}
