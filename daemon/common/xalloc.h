// SPDX-License-Identifier: MIT
// Memory while loading a configuration: without it there is nothing to go on with.
#pragma once

#include <stdio.h>
#include <stdlib.h>

// Ends the process for lack of memory. Not by abort: there is no bug to look for in a core.
static inline _Noreturn void memory_end(void)
{
    fputs("raimd: out of memory\n", stderr);
    _Exit(EXIT_FAILURE);
}

// Passes on what an allocation returned, and ends the process when that is NULL.
static inline void *memory_must(void *memory)
{
    if (memory == NULL)
        memory_end();
    return memory;
}
