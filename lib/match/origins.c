// SPDX-License-Identifier: MIT
// A hash table of addresses or networks, each of which counts players or spectators.
#include "match_internal.h"

#include <stdlib.h>
#include <string.h>

bool raim_origins_create(struct raim_match *match)
{
    const uint32_t slots = match->world->max_players, connections = match->def.max_connections;
    const uint32_t most = slots > connections ? slots : connections;
    match->origin_capacity = 2;
    while (match->origin_capacity < 2 * most)
        match->origin_capacity *= 2;
    match->origins = calloc(match->origin_capacity, sizeof *match->origins);
    return match->origins != NULL;
}

void raim_origins_clear(const struct raim_match *match)
{
    memset(match->origins, 0, match->origin_capacity * sizeof *match->origins);
}

struct raim_origin *raim_origins_find(const struct raim_match *match, uint64_t key)
{
    const uint32_t mask = match->origin_capacity - 1;
    uint32_t at = (uint32_t)(key ^ key >> 32) & mask;
    while (match->origins[at].key != 0 && match->origins[at].key != key)
        at = (at + 1) & mask;
    match->origins[at].key = key;
    return &match->origins[at];
}
