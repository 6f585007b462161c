// SPDX-License-Identifier: MIT
// Keeps the table of pairs.
#include "visibility_cache.h"

#include <stdlib.h>

bool raim_visibility_cache_create(struct raim_visibility_cache *pairs, uint32_t targets,
                                  uint32_t viewers)
{
    *pairs = (struct raim_visibility_cache){.targets = targets, .viewers = viewers};
    pairs->pairs = calloc((size_t)targets * viewers, sizeof *pairs->pairs);
    return pairs->pairs != NULL;
}

void raim_visibility_cache_destroy(struct raim_visibility_cache *pairs)
{
    free(pairs->pairs);
    *pairs = (struct raim_visibility_cache){0};
}

// As if it had been long ago, though not so long that tick numbers wrap.
static struct raim_pair unknown(uint32_t tick)
{
    const uint32_t long_ago = tick - (UINT32_C(1) << 30);
    return (struct raim_pair){.hidden_until = long_ago, .seen = long_ago};
}

void raim_visibility_cache_forget_target(struct raim_visibility_cache *pairs, uint32_t target,
                                         uint32_t tick)
{
    for (uint32_t viewer = 0; viewer < pairs->viewers; viewer++)
        *raim_visibility_cache_at(pairs, target, viewer) = unknown(tick);
}

void raim_visibility_cache_forget_viewer(struct raim_visibility_cache *pairs, uint32_t viewer,
                                         uint32_t tick)
{
    for (uint32_t target = 0; target < pairs->targets; target++)
        *raim_visibility_cache_at(pairs, target, viewer) = unknown(tick);
}
