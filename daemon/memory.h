// SPDX-License-Identifier: MIT
// Memory while loading a configuration: without it there is nothing to go on with, nor to tell.
#pragma once

#include <stdlib.h>

// Passes on what an allocation returned, and ends the process when that is NULL.
static inline void *memory_must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}
