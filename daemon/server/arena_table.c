// SPDX-License-Identifier: MIT
// Keeps the table of arenas, and moves arenas to workers and back.
#include "arena_table.h"

#include "log.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GOODBYE_MS = 500,
    LOOK_MS = 5,    // how often is looked for an arena that leaves or a bout that begins at once
    TURNS_MS = 100, // likewise for one that begins with a round
};

const struct config_arena *arena_slot_wanted(const struct arena_slot *berth)
{
    return &berth->config->arenas[berth->index];
}

bool arena_slot_has_rounds(const struct arena_slot *berth)
{
    const struct config_arena *wanted = arena_slot_wanted(berth);
    return wanted->round_s > 0 || wanted->score_limit > 0;
}

// --- Bouts ---

static const struct raim_map *map_at(const struct config_arena *config, int place)
{
    return place == 0 ? config->map : config->rotation[place - 1];
}

int arena_slot_find_place(const struct arena_slot *berth)
{
    const struct config_arena *wanted = arena_slot_wanted(berth);
    const char *name = arena_config(berth->arena)->map->name;
    int place = 0;
    while (place < wanted->rotation_count && strcmp(map_at(wanted, place)->name, name) != 0)
        place++;
    return place;
}

int arena_slot_next_place(const struct arena_slot *berth)
{
    return (arena_bout(berth->arena)->map.place + 1) %
           (arena_slot_wanted(berth)->rotation_count + 1);
}

struct prepared_match *arena_slot_prepare(const struct arena_slot *berth, int place, bool keeps_map)
{
    const struct prepared_match *played = arena_bout(berth->arena);
    struct config_arena config = *arena_slot_wanted(berth);
    struct config *owner = berth->config;
    if (place > config.rotation_count)
        place = 0; // of a longer one before
    const bool is_ordered = keeps_map && played->map.path[0] != '\0';
    if (is_ordered) {
        config.map = played->config.map;
        config.rotation_count = 0; // another owner's
        owner = played->owner;
    } else {
        config.map = map_at(&config, place);
    }
    struct prepared_match *bout = arena_prepare(berth->arena, &config, owner);
    if (bout == NULL)
        return NULL;
    if (is_ordered)
        bout->map = played->map;
    bout->map.place = place;
    return bout;
}

struct prepared_match *arena_slot_prepare_map(const struct arena_slot *berth, struct config *map,
                                              const char *path)
{
    struct config_arena config = *arena_slot_wanted(berth);
    config.map = map->maps[0];
    config.rotation_count = 0; // another owner's
    struct prepared_match *bout = arena_prepare(berth->arena, &config, map);
    if (bout == NULL)
        return NULL;
    bout->map.place = arena_bout(berth->arena)->map.place;
    snprintf(bout->map.path, sizeof bout->map.path, "%s", path);
    bout->at_once = true;
    return bout;
}

// The map after this one is there before the round ends.
static void prepare_rotation(struct arena_slot *berth)
{
    if (arena_slot_wanted(berth)->rotation_count == 0 || !arena_slot_has_rounds(berth) ||
        arena_awaits(berth->arena))
        return;
    struct prepared_match *bout = arena_slot_prepare(berth, arena_slot_next_place(berth), false);
    if (bout != NULL)
        arena_offer(berth->arena, bout);
}

bool arena_table_collect(struct arena_table *fleet, int index)
{
    struct arena_slot *berth = fleet->berths[index];
    const double delay_s = arena_config(berth->arena)->spectator_delay_s;
    if (arena_collect(berth->arena))
        log_arena_info(arena_config(berth->arena)->name, "match started arena=%s map=%s",
                       arena_config(berth->arena)->name, arena_config(berth->arena)->map->name);
    prepare_rotation(berth);
    return arena_config(berth->arena)->spectator_delay_s != delay_s;
}

// --- Berths ---

// Until it has gone, it may have a checkpoint of this name.
static bool is_leaving(const struct arena_table *fleet, const char *name)
{
    const struct arena_slot *berth = fleet->leaving;
    while (berth != NULL && strcmp(arena_slot_wanted(berth)->name, name) != 0)
        berth = berth->next;
    return berth != NULL;
}

struct arena_slot *arena_slot_open(struct arena_table *fleet, struct config *config, int index,
                                   char *error, size_t capacity)
{
    struct arena_slot *berth = calloc(1, sizeof *berth);
    if (berth == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    const struct config_arena *arena = &config->arenas[index];
    if (is_leaving(fleet, arena->name)) {
        snprintf(error, capacity, "the arena of this name has not left yet");
        free(berth);
        return NULL;
    }
    berth->arena = arena_create(config, arena, &fleet->passed, error, capacity);
    if (berth->arena == NULL) {
        free(berth);
        return NULL;
    }
    berth->config = config_share(config);
    berth->index = index;
    berth->ticks_seen = UINT32_MAX;
    return berth;
}

void arena_slot_close(struct arena_slot *berth)
{
    if (berth == NULL)
        return;
    arena_destroy(berth->arena);
    config_unload(berth->config);
    free(berth);
}

// --- The fleet ---

static struct worker *least_busy(const struct arena_table *fleet)
{
    struct worker *least = fleet->workers[0];
    int fewest = INT32_MAX;
    for (int i = 0; i < fleet->worker_count; i++) {
        int count = 0;
        for (int j = 0; j < fleet->count; j++)
            count += fleet->berths[j]->worker == fleet->workers[i];
        if (count < fewest) {
            fewest = count;
            least = fleet->workers[i];
        }
    }
    return least;
}

bool arena_table_add(struct arena_table *fleet, struct arena_slot *berth)
{
    if (fleet->count == CONFIG_MAX_ARENAS)
        return false;
    if (fleet->worker_count > 0) {
        berth->worker = least_busy(fleet);
        if (!worker_add(berth->worker, berth->arena))
            return false;
    }
    const struct config_arena *config = arena_config(berth->arena);
    log_arena_info(config->name,
                   "arena started name=%s address=%s port=%u map=%s players=%u bots=%u tick_hz=%u",
                   config->name, config->address, arena_port(berth->arena), config->map->name,
                   config->max_players, config->bots, config->tick_hz);
    fleet->berths[fleet->count] = berth;
    fleet->arenas[fleet->count++] = berth->arena;
    fleet->source.arenas = fleet->arenas;
    fleet->source.arena_count = fleet->count;
    prepare_rotation(berth);
    return true;
}

bool arena_table_start(struct arena_table *fleet, int worker_count, char *error, size_t capacity)
{
    struct arena *dealt[CONFIG_MAX_ARENAS];
    struct worker **workers = calloc((size_t)worker_count, sizeof(struct worker *));
    if (workers == NULL) {
        snprintf(error, capacity, "out of memory");
        return false;
    }
    fleet->workers = workers;
    fleet->source.crew = workers;
    for (int i = 0; i < worker_count; i++) {
        int count = 0;
        for (int j = i; j < fleet->count; j += worker_count)
            dealt[count++] = fleet->arenas[j];
        workers[i] = worker_start(i, dealt, count, error, capacity);
        if (workers[i] == NULL)
            return false;
        for (int j = i; j < fleet->count; j += worker_count)
            fleet->berths[j]->worker = workers[i];
        fleet->worker_count++;
        fleet->source.workers++;
    }
    return true;
}

void arena_table_stop(struct arena_table *fleet)
{
    for (int i = 0; i < fleet->worker_count; i++)
        worker_stop(fleet->workers[i], GOODBYE_MS);
    for (int i = 0; i < fleet->worker_count; i++)
        worker_join(fleet->workers[i]);
}

void arena_table_close(struct arena_table *fleet)
{
    for (int i = 0; i < fleet->count; i++)
        arena_slot_close(fleet->berths[i]);
    while (fleet->leaving != NULL) {
        struct arena_slot *berth = fleet->leaving;
        fleet->leaving = berth->next;
        arena_slot_close(berth);
    }
    free(fleet->workers);
}

int arena_table_find(const struct arena_table *fleet, const char *name)
{
    for (int i = 0; i < fleet->count; i++)
        if (strcmp(arena_slot_wanted(fleet->berths[i])->name, name) == 0)
            return i;
    return -1;
}

bool arena_table_remove(struct arena_table *fleet, int index)
{
    struct arena_slot *berth = fleet->berths[index];
    if (!arena_is_let_go(berth->arena) && !worker_remove(berth->worker, berth->arena, GOODBYE_MS))
        return false;
    const size_t rest = (size_t)(fleet->count - index - 1);
    memmove(&fleet->berths[index], &fleet->berths[index + 1], rest * sizeof fleet->berths[0]);
    memmove(&fleet->arenas[index], &fleet->arenas[index + 1], rest * sizeof fleet->arenas[0]);
    fleet->source.arena_count = --fleet->count;
    berth->next = fleet->leaving;
    fleet->leaving = berth;
    return true;
}

struct arena_slot *arena_table_next_gone(struct arena_table *fleet)
{
    struct arena_slot **link = &fleet->leaving;
    while (*link != NULL && !arena_is_let_go((*link)->arena))
        link = &(*link)->next;
    struct arena_slot *berth = *link;
    if (berth == NULL)
        return NULL;
    *link = berth->next;
    log_arena_info(arena_slot_wanted(berth)->name, "arena ended name=%s port=%u",
                   arena_slot_wanted(berth)->name, arena_port(berth->arena));
    return berth;
}

int arena_table_timeout_ms(const struct arena_table *fleet)
{
    int timeout_ms = fleet->leaving != NULL ? LOOK_MS : -1;
    for (int i = 0; i < fleet->count && timeout_ms != LOOK_MS; i++) {
        if (arena_is_changing(fleet->arenas[i]))
            timeout_ms = LOOK_MS;
        else if (arena_awaits(fleet->arenas[i]))
            timeout_ms = TURNS_MS;
    }
    return timeout_ms;
}

bool arena_table_ticks_advance(struct arena_table *fleet)
{
    bool advance = true;
    for (int i = 0; i < fleet->count; i++) {
        const uint32_t ticks = arena_ticks(fleet->arenas[i]);
        advance = advance && ticks != fleet->berths[i]->ticks_seen;
        fleet->berths[i]->ticks_seen = ticks;
    }
    return advance;
}
