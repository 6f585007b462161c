// SPDX-License-Identifier: MIT
// Random numbers for tests: one generator per program, in test.c. Its seed is fixed, so that a run
// can be repeated, unless --seed or the environment variable RAIM_SEED gives another. It is always
// printed.
#pragma once

#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern uint64_t chance;

// The rounds of a random test: a quarter of them where RAIM_SHORT=1, as in `./dev test` without
// --all, asks for less. What a test counts in them is expected in the same measure.
static inline int chance_rounds(int all)
{
    const char *is_short = getenv("RAIM_SHORT");
    return is_short != NULL && strcmp(is_short, "1") == 0 ? (all + 3) / 4 : all;
}

static inline double chance_between(double low, double high)
{
    return low + raim_random_unit(&chance) * (high - low);
}

// A number from low to high, both included.
static inline int chance_int(int low, int high)
{
    return low + (int)raim_random_below(&chance, (uint32_t)(high - low) + 1);
}
