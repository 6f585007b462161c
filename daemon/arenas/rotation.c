// SPDX-License-Identifier: MIT
// Prepares matches on maps by their index: 0 is the arena's first map, i the i-th of its rotation.
#define _GNU_SOURCE
#include "rotation.h"

#include <stdio.h>
#include <string.h>

bool rotation_has_rounds(const struct arena_slot *slot)
{
    const struct config_arena *wanted = arena_slot_wanted(slot);
    return wanted->match.tuning.round_s > 0 || wanted->match.tuning.score_limit > 0;
}

static const struct raim_map *map_at(const struct config_arena *config, int map_index)
{
    return map_index == 0 ? config->match.map : config->rotation[map_index - 1];
}

int rotation_find_map(const struct arena_slot *slot)
{
    const struct config_arena *wanted = arena_slot_wanted(slot);
    const char *name = arena_config(slot->arena)->match.map->name;
    int map_index = 0;
    while (map_index < wanted->rotation_count && strcmp(map_at(wanted, map_index)->name, name) != 0)
        map_index++;
    return map_index;
}

int rotation_next_map(const struct arena_slot *slot)
{
    return (arena_prepared_match(slot->arena)->map.index + 1) %
           (arena_slot_wanted(slot)->rotation_count + 1);
}

struct prepared_match *rotation_prepare(const struct arena_slot *slot, int map_index,
                                        bool keeps_map)
{
    const struct prepared_match *played = arena_prepared_match(slot->arena);
    struct config_arena config = *arena_slot_wanted(slot);
    struct config *owner = slot->config;
    if (map_index > config.rotation_count)
        map_index = 0; // the index of a longer, earlier rotation
    const bool keeps_own_map = keeps_map && played->map.path[0] != '\0';
    if (keeps_own_map) {
        config.match.map = played->config.match.map;
        config.rotation_count = 0; // the rotation's maps belong to another owner
        owner = played->owner;
    } else {
        config.match.map = map_at(&config, map_index);
    }
    struct prepared_match *prepared = arena_prepare(slot->arena, &config, owner);
    if (prepared == NULL)
        return NULL;
    if (keeps_own_map)
        prepared->map = played->map;
    prepared->map.index = map_index;
    arena_name_maps(prepared->match, arena_slot_wanted(slot));
    return prepared;
}

struct prepared_match *rotation_prepare_map(const struct arena_slot *slot, struct config *map,
                                            const char *path)
{
    struct config_arena config = *arena_slot_wanted(slot);
    config.match.map = map->maps[0];
    config.rotation_count = 0; // the rotation's maps belong to another owner
    struct prepared_match *prepared = arena_prepare(slot->arena, &config, map);
    if (prepared == NULL)
        return NULL;
    prepared->map.index = arena_prepared_match(slot->arena)->map.index;
    snprintf(prepared->map.path, sizeof prepared->map.path, "%s", path);
    prepared->at_once = true;
    arena_name_maps(prepared->match, arena_slot_wanted(slot));
    return prepared;
}

bool rotation_begin_map(const struct arena_slot *slot, const char *name)
{
    const struct config_arena *wanted = arena_slot_wanted(slot);
    int map_index = 0;
    while (map_index <= wanted->rotation_count &&
           strcmp(map_at(wanted, map_index)->name, name) != 0)
        map_index++;
    if (map_index > wanted->rotation_count)
        return false;
    struct prepared_match *prepared = rotation_prepare(slot, map_index, false);
    if (prepared == NULL)
        return false;
    prepared->at_once = true;
    arena_offer(slot->arena, prepared);
    return true;
}

void rotation_prepare_next(const struct arena_slot *slot)
{
    if (arena_slot_wanted(slot)->rotation_count == 0 || !rotation_has_rounds(slot) ||
        arena_has_next_offer(slot->arena))
        return;
    struct prepared_match *prepared = rotation_prepare(slot, rotation_next_map(slot), false);
    if (prepared != NULL)
        arena_offer(slot->arena, prepared);
}
