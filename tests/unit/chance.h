// SPDX-License-Identifier: MIT
// Chance for random tests: one generator per program, whose seed is printed and taken by --seed.
#pragma once

#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t chance;

static inline void chance_start(int argc, char **argv)
{
    chance = (uint64_t)time(NULL);
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--seed") == 0)
            chance = strtoull(argv[i + 1], NULL, 10);
    printf("seed %" PRIu64 "\n", chance);
}

static inline double chance_between(double low, double high)
{
    return low + raim_random_unit(&chance) * (high - low);
}

// From low to high, both included.
static inline int chance_int(int low, int high)
{
    return low + (int)raim_random_below(&chance, (uint32_t)(high - low) + 1);
}
