// SPDX-License-Identifier: MIT
// Keeps the table of pairs.
#include "visibility_cache.h"

#include <stdlib.h>

bool raim_pairs_create(struct raim_pairs *pairs, uint32_t targets, uint32_t viewers)
{
    *pairs = (struct raim_pairs){.targets = targets, .viewers = viewers};
    pairs->pairs = calloc((size_t)targets * viewers, sizeof *pairs->pairs);
    return pairs->pairs != NULL;
}

void raim_pairs_destroy(struct raim_pairs *pairs)
{
    free(pairs->pairs);
    *pairs = (struct raim_pairs){0};
}

// As if it had been long ago, though not so long that tick numbers wrap.
static struct raim_pair unknown(uint32_t tick)
{
    const uint32_t long_ago = tick - (UINT32_C(1) << 30);
    return (struct raim_pair){.hidden_until = long_ago, .seen = long_ago};
}

void raim_pairs_forget_target(struct raim_pairs *pairs, uint32_t target, uint32_t tick)
{
    for (uint32_t viewer = 0; viewer < pairs->viewers; viewer++)
        *raim_pairs_at(pairs, target, viewer) = unknown(tick);
}

void raim_pairs_forget_viewer(struct raim_pairs *pairs, uint32_t viewer, uint32_t tick)
{
    for (uint32_t target = 0; target < pairs->targets; target++)
        *raim_pairs_at(pairs, target, viewer) = unknown(tick);
}
