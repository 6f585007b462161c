// SPDX-License-Identifier: MIT
// Implements the operator's changes of the running arenas.
#define _GNU_SOURCE
#include "arena_table_changes.h"

#include "log.h"
#include "reload.h"
#include "systemd.h"
#include "server_events.h"
#include "source.h"
#include "text_buffer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The fields of the event of a reload: whether it was good, and the number of lines of each kind.
static char *reload_fields(const struct reload_report *report, bool is_good)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"good\":%s", is_good ? "true" : "false");
    for (int kind = 0; kind < RELOAD_REPORT_KINDS; kind++) {
        int count = 0;
        for (int i = 0; i < report->count; i++)
            count += report->lines[i].kind == (enum reload_report_kind)kind;
        text_buffer_print(&out, ",\"%s\":%d",
                          reload_report_kind_name((enum reload_report_kind)kind), count);
    }
    text_buffer_print(&out, "}");
    return text_buffer_take(&out);
}

bool arena_table_reload(struct arena_table *table, struct reload_report *report)
{
    uint32_t players, bots;
    sd_notify_reloading();
    const bool good = reload_apply(table, report);
    reload_log(report);
    if (good) {
        log_set_level(table->config->log_level);
        server_events_choose(table->events, table->config->event_kinds);
    }
    server_events_add(table->events, "reload", NULL, reload_fields(report, good));
    arena_table_count_players(table, &players, &bots);
    sd_notify_players(players, bots);
    sd_notify_ready();
    watchers_call(&table->watchers);
    return good;
}

static bool refuse(const char *reason, char *error, size_t capacity)
{
    snprintf(error, capacity, "%s", reason);
    return false;
}

// Loads the file and finds the arena of this name. The caller unloads the configuration. Returns
// NULL and writes a reason on failure.
static struct config *load_arena(const struct arena_table *table, const char *name, int *index,
                                 char *error, size_t capacity)
{
    struct reload_report report = {0};
    struct config *config = table->path != NULL ? reload_load(table->path, &report) : NULL;
    if (config == NULL)
        refuse(report.count > 0 ? report.lines[0].text : "there is no configuration to read", error,
               capacity);
    reload_report_clear(&report);
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

bool arena_table_add_arena(struct arena_table *table, const char *name, char *error,
                           size_t capacity)
{
    int index;
    assert(arena_list_find(&table->running, name) < 0);
    struct config *config = load_arena(table, name, &index, error, capacity);
    if (config == NULL)
        return false;
    struct arena_slot *slot = arena_slot_open(table, config, index, error, capacity);
    config_unload(config); // the slot shares it
    if (slot == NULL)
        return false;
    if (arena_table_add(table, slot))
        return true;
    arena_slot_close(slot);
    return refuse("too many arenas, or the worker is busy", error, capacity);
}

bool arena_table_remove_arena(struct arena_table *table, int index, char *error, size_t capacity)
{
    return arena_table_remove(table, index) ||
           refuse("the arena's worker is busy", error, capacity);
}

// Copies the first line, truncated to the capacity.
static void copy_line(const char *text, char *error, size_t capacity)
{
    snprintf(error, capacity, "%.*s", (int)strcspn(text, "\n"), text);
}

// Prepares a match on a map, under an absolute path that the next process will find. Returns NULL
// when memory runs out.
static struct prepared_match *prepare_map(const struct arena_table *table,
                                          const struct arena_slot *slot, struct config *map,
                                          const char *path)
{
    char *resolved = config_find_map(table->path != NULL ? table->path : "", path);
    if (resolved == NULL)
        return NULL;
    char *whole = realpath(resolved, NULL);
    struct prepared_match *prepared =
        arena_slot_prepare_map(slot, map, whole != NULL ? whole : resolved);
    free(whole);
    free(resolved);
    return prepared;
}

bool arena_table_change_map(struct arena_table *table, int index, const char *map_path, char *error,
                            size_t capacity)
{
    const struct arena_slot *slot = table->slots[index];
    char *text = NULL;
    size_t size;
    struct diagnostics report = {.out = open_memstream(&text, &size)};
    if (report.out == NULL)
        return refuse("out of memory", error, capacity);
    struct config *map =
        config_load_map(table->path != NULL ? table->path : "", map_path,
                        arena_slot_wanted(slot)->match.rules.player_radius, &report);
    fclose(report.out);
    copy_line(report.no_memory || text == NULL ? "out of memory" : text, error, capacity);
    free(text);
    if (map == NULL)
        return false;
    struct prepared_match *prepared = prepare_map(table, slot, map, map_path);
    config_unload(map); // the prepared match shares it
    if (prepared == NULL)
        return refuse("out of memory", error, capacity);
    arena_offer(slot->arena, prepared);
    return true;
}
