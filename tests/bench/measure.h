// SPDX-License-Identifier: MIT
// What the benches share: time and medians. Includers define _GNU_SOURCE.
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

// CLOCK_THREAD_CPUTIME_ID leaves out what else the machine does; reading it costs half a
// microsecond, so short times want CLOCK_MONOTONIC.
static inline int64_t measure_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static inline int measure_ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Sorts the values and returns the one below which this fraction of them lies.
static inline double measure_quantile(double *values, int count, double fraction)
{
    qsort(values, (size_t)count, sizeof *values, measure_ascending);
    return values[(int)(count * fraction)];
}
