// SPDX-License-Identifier: MIT
// Reads CLOCK_MONOTONIC by clock_gettime(2).
#define _GNU_SOURCE
#include "monotonic.h"

#include <time.h>

uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t monotonic_us(void)
{
    return monotonic_ns() / 1000;
}

uint64_t monotonic_ms(void)
{
    return monotonic_ns() / 1000000;
}
