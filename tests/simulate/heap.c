// SPDX-License-Identifier: MIT
#include "heap.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static struct heap_counts counts;

struct heap_counts heap_count(void)
{
    return counts;
}

static void *count_block(void *block)
{
    counts.calls++;
    counts.live += block != NULL;
    return block;
}

void *__wrap_malloc(size_t size)
{
    return count_block(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return count_block(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    counts.calls++;
    counts.live += block == NULL;
    return __real_realloc(block, size);
}

void __wrap_free(void *block)
{
    counts.live -= block != NULL;
    __real_free(block);
}
