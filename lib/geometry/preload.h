// SPDX-License-Identifier: MIT
// Loads memory into the processor's cache ahead of its use. After the pause between two ticks most
// of what a tick reads is in no cache. Reads that depend on each other wait for memory one by one,
// independent ones together. These are plain reads: processors drop prefetches when there are many.
#pragma once

#include <stddef.h>

#define RAIM_CACHE_LINE 64 // bytes; a smaller one would only leave something out

// Reads a byte of every cache line.
static inline void raim_preload(const void *from, size_t bytes)
{
    const volatile char *const first = from;
    for (size_t at = 0; at < bytes; at += RAIM_CACHE_LINE)
        (void)first[at];
    if (bytes > 0)
        (void)first[bytes - 1];
}
