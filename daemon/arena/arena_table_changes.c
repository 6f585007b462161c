// SPDX-License-Identifier: MIT
// Changes the arenas of a running server.
#define _GNU_SOURCE
#include "arena_table_changes.h"

#include "log.h"
#include "reload.h"
#include "sd_notify.h"
#include "source.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool arena_table_reload(struct arena_table *fleet, struct reload_report *outcome)
{
    uint32_t players, bots;
    notify_reloading();
    const bool good = reload_apply(fleet, outcome);
    reload_log(outcome);
    if (good)
        log_set_level(fleet->config->log_level);
    arena_table_count_players(fleet, &players, &bots);
    notify_players(players, bots);
    notify_ready();
    return good;
}

static bool refuse(const char *reason, char *error, size_t capacity)
{
    snprintf(error, capacity, "%s", reason);
    return false;
}

// The file's arena of this name, in a configuration that the caller unloads; NULL with a reason.
static struct config *load_arena(const struct arena_table *fleet, const char *name, int *index,
                                 char *error, size_t capacity)
{
    struct reload_report outcome = {0};
    struct config *config = fleet->path != NULL ? reload_load(fleet->path, &outcome) : NULL;
    if (config == NULL)
        refuse(outcome.count > 0 ? outcome.lines[0].text : "there is no configuration to read",
               error, capacity);
    reload_report_clear(&outcome);
    if (config == NULL)
        return NULL;
    *index = 0;
    while (*index < config->arena_count && strcmp(config->arenas[*index].name, name) != 0)
        (*index)++;
    if (*index < config->arena_count)
        return config;
    refuse("the configuration file has no arena of this name", error, capacity);
    config_unload(config);
    return NULL;
}

bool arena_table_add_arena(struct arena_table *fleet, const char *name, char *error,
                           size_t capacity)
{
    int index;
    assert(arena_list_find(&fleet->running, name) < 0);
    struct config *config = load_arena(fleet, name, &index, error, capacity);
    if (config == NULL)
        return false;
    struct arena_slot *berth = arena_slot_open(fleet, config, index, error, capacity);
    config_unload(config); // the berth shares it
    if (berth == NULL)
        return false;
    if (arena_table_add(fleet, berth))
        return true;
    arena_slot_close(berth);
    return refuse("too many arenas, or no worker listens", error, capacity);
}

bool arena_table_remove_arena(struct arena_table *fleet, int index, char *error, size_t capacity)
{
    return arena_table_remove(fleet, index) ||
           refuse("the arena's worker does not listen", error, capacity);
}

// The first line of a report, or less.
static void copy_line(const char *text, char *error, size_t capacity)
{
    snprintf(error, capacity, "%.*s", (int)strcspn(text, "\n"), text);
}

// By a path that the next process will find, too. NULL when memory runs out.
static struct prepared_match *prepare_map(const struct arena_table *fleet,
                                          const struct arena_slot *berth, struct config *map,
                                          const char *path)
{
    char *resolved = source_resolve(fleet->path != NULL ? fleet->path : "", path);
    if (resolved == NULL)
        return NULL;
    char *whole = realpath(resolved, NULL);
    struct prepared_match *bout =
        arena_slot_prepare_map(berth, map, whole != NULL ? whole : resolved);
    free(whole);
    free(resolved);
    return bout;
}

bool arena_table_change_map(struct arena_table *fleet, int index, const char *map_path, char *error,
                            size_t capacity)
{
    const struct arena_slot *berth = fleet->berths[index];
    char *text = NULL;
    size_t size;
    struct diagnostics report = {.out = open_memstream(&text, &size)};
    if (report.out == NULL)
        return refuse("out of memory", error, capacity);
    struct config *map = config_load_map(fleet->path != NULL ? fleet->path : "", map_path,
                                         arena_slot_wanted(berth)->rules.player_radius, &report);
    fclose(report.out);
    copy_line(report.no_memory || text == NULL ? "out of memory" : text, error, capacity);
    free(text);
    if (map == NULL)
        return false;
    struct prepared_match *bout = prepare_map(fleet, berth, map, map_path);
    config_unload(map); // the bout shares it
    if (bout == NULL)
        return refuse("out of memory", error, capacity);
    arena_offer(berth->arena, bout);
    return true;
}
