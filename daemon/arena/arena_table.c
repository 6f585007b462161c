// SPDX-License-Identifier: MIT
// Keeps the table of arenas, and moves arenas to workers and back.
#define _GNU_SOURCE
#include "arena_table.h"

#include "log.h"
#include "monotonic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GOODBYE_MS = 500, ERROR_BYTES = 256 };

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

void arena_table_collect(struct arena_table *fleet)
{
    for (int i = 0; i < fleet->running.count; i++) {
        struct arena *arena = fleet->running.arenas[i];
        if (arena_collect(arena))
            log_arena_info(arena_config(arena)->name, "match started arena=%s map=%s",
                           arena_config(arena)->name, arena_config(arena)->map->name);
        prepare_rotation(fleet->berths[i]);
    }
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
    berth->arena = arena_create(config, arena, &fleet->passed, &fleet->wakeup, error, capacity);
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

bool arena_table_open(struct arena_table *fleet, struct config *config, const char *path)
{
    char error[ERROR_BYTES];
    *fleet = (struct arena_table){.config = config, .path = path};
    fleet->running.started_ms = monotonic_ms();
    socket_activation_init(&fleet->passed);
    if (!wakeup_open(&fleet->wakeup)) {
        log_error("cannot create an eventfd: %s", strerror(errno));
        return false;
    }
    for (int i = 0; i < config->arena_count; i++) {
        struct arena_slot *berth = arena_slot_open(fleet, config, i, error, sizeof error);
        if (berth == NULL) {
            log_arena_error(config->arenas[i].name, "arena failed name=%s: %s",
                            config->arenas[i].name, error);
            return false;
        }
        arena_table_add(fleet, berth);
    }
    socket_activation_warn_unused(&fleet->passed);
    return true;
}

static struct worker *least_busy(const struct arena_table *fleet)
{
    struct worker *least = fleet->running.workers[0];
    int fewest = INT32_MAX;
    for (int i = 0; i < fleet->running.worker_count; i++) {
        int count = 0;
        for (int j = 0; j < fleet->running.count; j++)
            count += fleet->berths[j]->worker == fleet->running.workers[i];
        if (count < fewest) {
            fewest = count;
            least = fleet->running.workers[i];
        }
    }
    return least;
}

bool arena_table_add(struct arena_table *fleet, struct arena_slot *berth)
{
    if (fleet->running.count == CONFIG_MAX_ARENAS)
        return false;
    if (fleet->running.worker_count > 0) {
        berth->worker = least_busy(fleet);
        if (!worker_add(berth->worker, berth->arena))
            return false;
    }
    const struct config_arena *config = arena_config(berth->arena);
    log_arena_info(config->name,
                   "arena started name=%s address=%s port=%u map=%s players=%u bots=%u tick_hz=%u",
                   config->name, config->address, arena_port(berth->arena), config->map->name,
                   config->max_players, config->bots, config->tick_hz);
    fleet->berths[fleet->running.count] = berth;
    fleet->running.arenas[fleet->running.count++] = berth->arena;
    prepare_rotation(berth);
    return true;
}

// As many as the configuration wants, or one per CPU, but none without an arena.
static int count_workers(const struct config *config)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const int wanted = config->workers > 0 ? (int)config->workers : cpus > 0 ? (int)cpus : 1;
    return wanted < config->arena_count ? wanted : config->arena_count;
}

bool arena_table_start(struct arena_table *fleet)
{
    struct arena_list *running = &fleet->running;
    struct arena *dealt[CONFIG_MAX_ARENAS];
    char error[ERROR_BYTES];
    const int worker_count = count_workers(fleet->config);
    running->workers = calloc((size_t)worker_count, sizeof(struct worker *));
    if (running->workers == NULL) {
        log_error("out of memory");
        return false;
    }
    for (int i = 0; i < worker_count; i++) {
        int count = 0;
        for (int j = i; j < running->count; j += worker_count)
            dealt[count++] = running->arenas[j];
        running->workers[i] = worker_start(i, dealt, count, error, sizeof error);
        if (running->workers[i] == NULL) {
            log_error("workers failed: %s", error);
            return false;
        }
        for (int j = i; j < running->count; j += worker_count)
            fleet->berths[j]->worker = running->workers[i];
        running->worker_count++;
    }
    return true;
}

void arena_table_keep(struct arena_table *fleet)
{
    for (int i = 0; i < fleet->running.count; i++)
        arena_keep(fleet->running.arenas[i]);
}

void arena_table_stop(struct arena_table *fleet)
{
    for (int i = 0; i < fleet->running.worker_count; i++)
        worker_stop(fleet->running.workers[i], GOODBYE_MS);
    for (int i = 0; i < fleet->running.worker_count; i++)
        worker_join(fleet->running.workers[i]);
}

void arena_table_close(struct arena_table *fleet)
{
    for (int i = 0; i < fleet->running.count; i++)
        arena_slot_close(fleet->berths[i]);
    while (fleet->leaving != NULL) {
        struct arena_slot *berth = fleet->leaving;
        fleet->leaving = berth->next;
        arena_slot_close(berth);
    }
    free(fleet->running.workers);
    wakeup_close(&fleet->wakeup);
    config_unload(fleet->config);
}

bool arena_table_remove(struct arena_table *fleet, int index)
{
    struct arena_slot *berth = fleet->berths[index];
    if (!arena_is_let_go(berth->arena) && !worker_remove(berth->worker, berth->arena, GOODBYE_MS))
        return false;
    const size_t rest = (size_t)(fleet->running.count - index - 1);
    memmove(&fleet->berths[index], &fleet->berths[index + 1], rest * sizeof fleet->berths[0]);
    memmove(&fleet->running.arenas[index], &fleet->running.arenas[index + 1],
            rest * sizeof fleet->running.arenas[0]);
    fleet->running.count--;
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

bool arena_table_ticks_advance(struct arena_table *fleet)
{
    bool advance = true;
    for (int i = 0; i < fleet->running.count; i++) {
        const uint32_t ticks = arena_ticks(fleet->running.arenas[i]);
        advance = advance && ticks != fleet->berths[i]->ticks_seen;
        fleet->berths[i]->ticks_seen = ticks;
    }
    return advance;
}

void arena_table_count_players(const struct arena_table *fleet, uint32_t *players, uint32_t *bots)
{
    *players = 0;
    *bots = 0;
    for (int i = 0; i < fleet->running.count; i++) {
        const struct arena_status *status = arena_status(fleet->running.arenas[i]);
        *players += status->counts.players;
        *bots += status->counts.bots;
    }
}
