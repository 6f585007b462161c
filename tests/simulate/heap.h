// SPDX-License-Identifier: MIT
// Counts the heap's blocks of the whole program. The program is linked with --wrap, so that its
// objects call these instead of malloc, calloc, realloc and free. Thread rule: one thread.
#pragma once

#include <stdint.h>

struct heap_counts {
    uint64_t calls; // that allocated
    uint64_t live;  // blocks that are not freed yet
};

struct heap_counts heap_count(void);
