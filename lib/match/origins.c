// SPDX-License-Identifier: MIT
// A hash table with open addressing.
#include "origins.h"

#include <stdlib.h>
#include <string.h>

bool raim_origins_create(struct raim_origins *origins, uint32_t keys)
{
    origins->capacity = 2;
    while (origins->capacity < 2 * keys)
        origins->capacity *= 2;
    origins->rows = calloc(origins->capacity, sizeof *origins->rows);
    return origins->rows != NULL;
}

void raim_origins_destroy(struct raim_origins *origins)
{
    free(origins->rows);
}

void raim_origins_clear(const struct raim_origins *origins)
{
    memset(origins->rows, 0, origins->capacity * sizeof *origins->rows);
}

struct raim_origin *raim_origins_find(const struct raim_origins *origins, uint64_t key)
{
    const uint32_t mask = origins->capacity - 1;
    uint32_t at = (uint32_t)(key ^ key >> 32) & mask;
    while (origins->rows[at].key != 0 && origins->rows[at].key != key)
        at = (at + 1) & mask;
    origins->rows[at].key = key;
    return &origins->rows[at];
}
