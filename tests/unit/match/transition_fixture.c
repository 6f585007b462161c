// SPDX-License-Identifier: MIT
// Counts allocations: the linker wraps malloc and calloc.
#include "transition_fixture.h"

long allocations;

void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}
