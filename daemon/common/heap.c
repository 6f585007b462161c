// SPDX-License-Identifier: MIT
// Configures glibc's malloc by mallopt(3) and malloc_trim(3).
#include "heap.h"

#include <malloc.h>

enum { LARGE_BLOCK_BYTES = 256 * 1024 };

void heap_init(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
#endif
}

void heap_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
