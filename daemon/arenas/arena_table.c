// SPDX-License-Identifier: MIT
// Keeps the table of arenas, and moves arenas to workers and back.
#define _GNU_SOURCE
#include "arena_table.h"

#include "log.h"
#include "monotonic.h"
#include "recording_writer.h"
#include "rotation.h"
#include "sandbox.h"
#include "systemd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GOODBYE_MS = 500, ERROR_BYTES = 256 };

const struct config_arena *arena_slot_wanted(const struct arena_slot *slot)
{
    return &slot->config->arenas[slot->index];
}

bool arena_table_poll_token_marking(struct arena_table *table)
{
    bool is_marking = false;
    for (int i = 0; i < table->running.count; i++)
        is_marking = arena_poll_token_marking(table->running.arenas[i]) || is_marking;
    return is_marking;
}

void arena_table_collect(struct arena_table *table)
{
    arena_table_poll_token_marking(table);
    for (int i = 0; i < table->running.count; i++) {
        struct arena *arena = table->running.arenas[i];
        if (arena_collect(arena))
            log_arena_info(arena_config(arena)->name, "match started arena=%s map=%s",
                           arena_config(arena)->name, arena_config(arena)->match.map->name);
        rotation_prepare_next(table->slots[i]);
    }
}

// --- Slots ---

// Fills in the port of an arena that is to get one. Returns false if there is none for it.
static bool find_port(const struct arena_table *table, struct config_arena *arena)
{
    if (arena->port == 0 && table->ports.find != NULL)
        arena->port = table->ports.find(table->ports.context, arena->name);
    return arena->port != 0 || table->ports.find == NULL;
}

struct arena_slot *arena_slot_open(struct arena_table *table, struct config *config, int index,
                                   char *error, size_t capacity)
{
    struct arena_slot *slot = calloc(1, sizeof *slot);
    if (slot == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    const struct config_arena *arena = &config->arenas[index];
    if (arena_table_is_leaving(table, arena->name)) {
        snprintf(error, capacity, "an arena of this name is still leaving");
        free(slot);
        return NULL;
    }
    struct config_arena opened = *arena;
    const bool has_port = find_port(table, &opened);
    if (!has_port)
        snprintf(error, capacity, "there is no port of this name");
    else
        slot->arena = arena_create(config, &opened, &table->sockets, table->store, &table->wakeup,
                                   error, capacity);
    if (slot->arena != NULL && table->recorder != NULL &&
        !arena_enable_recording(slot->arena, table->recorder)) {
        snprintf(error, capacity, "out of memory");
        arena_destroy(slot->arena);
        slot->arena = NULL;
    }
    if (slot->arena == NULL) {
        free(slot);
        return NULL;
    }
    if (!arena_enable_event_queue(slot->arena)) {
        snprintf(error, capacity, "out of memory");
        arena_destroy(slot->arena);
        free(slot);
        return NULL;
    }
    slot->config = config_share(config);
    slot->index = index;
    slot->ticks_seen = UINT32_MAX;
    return slot;
}

struct arena_slot *arena_slot_open_on_demand(struct arena_table *table,
                                             const struct config_arena *arena, struct config *owner,
                                             char *error, size_t capacity)
{
    struct config *config = config_of_arena(arena, owner);
    if (config == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    struct arena_slot *slot = arena_slot_open(table, config, 0, error, capacity);
    config_unload(config); // the slot shares it
    return slot;
}

void arena_slot_close(struct arena_slot *slot)
{
    if (slot == NULL)
        return;
    arena_destroy(slot->arena);
    config_unload(slot->config);
    free(slot);
}

// --- The table ---

static bool open_recorder(struct arena_table *table);

bool arena_table_open(struct arena_table *table, struct config *config, const char *path)
{
    char error[ERROR_BYTES], directory[PATH_MAX];
    table->config = config;
    table->path = path;
    socket_activation_init(&table->sockets);
    if (!unit_directories_find("RUNTIME_DIRECTORY", directory, sizeof directory))
        log_info("matches are kept in memory only: $RUNTIME_DIRECTORY is not set");
    if (!wakeup_open(&table->wakeup)) {
        log_error("cannot create an eventfd: %s", strerror(errno));
        return false;
    }
    if (!open_recorder(table))
        return false;
    for (int i = 0; i < config->arena_count; i++) {
        struct arena_slot *slot = arena_slot_open(table, config, i, error, sizeof error);
        if (slot == NULL) {
            log_arena_error(config->arenas[i].name, "arena failed arena=%s: %s",
                            config->arenas[i].name, error);
            return false;
        }
        arena_table_add(table, slot);
    }
    arena_mark_tokens(table->running.arenas, table->running.count, table->store);
    socket_activation_warn_unused(&table->sockets);
    return true;
}

static struct worker *least_busy(const struct arena_table *table)
{
    struct worker *least = table->running.workers[0];
    int fewest = INT32_MAX;
    for (int i = 0; i < table->running.worker_count; i++) {
        int count = 0;
        for (int j = 0; j < table->running.count; j++)
            count += table->slots[j]->worker == table->running.workers[i];
        if (count < fewest) {
            fewest = count;
            least = table->running.workers[i];
        }
    }
    return least;
}

bool arena_table_add(struct arena_table *table, struct arena_slot *slot)
{
    if (table->running.count == CONFIG_MAX_ARENAS)
        return false;
    if (table->running.worker_count > 0) {
        slot->worker = least_busy(table);
        arena_mark_tokens(&slot->arena, 1, table->store);
        arena_restore(slot->arena); // here, because its worker's other arenas have ticks to run
        if (!worker_add(slot->worker, slot->arena))
            return false;
    }
    const struct config_arena *config = arena_config(slot->arena);
    log_arena_info(config->name,
                   "arena started arena=%s address=%s port=%u map=%s players=%u bots=%u tick_hz=%u",
                   config->name, config->address, arena_port(slot->arena), config->match.map->name,
                   config->match.tuning.max_players, config->match.bots, config->match.tick_hz);
    table->slots[table->running.count] = slot;
    table->running.arenas[table->running.count++] = slot->arena;
    rotation_prepare_next(slot);
    return true;
}

// The configured number of workers, or one per CPU, but at most one per arena and port of arenas on
// demand.
static int count_workers(const struct config *config)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const int wanted = config->workers > 0 ? (int)config->workers : cpus > 0 ? (int)cpus : 1;
    const int on_demand = config->template_count > 0 ? config_port_count(&config->ports) : 0;
    const int most = config->arena_count + on_demand;
    return wanted < most ? wanted : most;
}

// The match that has crashed the process again and again does not cost other arenas theirs.
static void excuse_innocent(const struct arena_list *list)
{
    enum checkpoint_guilt guilt[CONFIG_MAX_ARENAS], most = CHECKPOINT_INNOCENT;
    for (int i = 0; i < list->count; i++) {
        guilt[i] = arena_guilt(list->arenas[i]);
        most = guilt[i] > most ? guilt[i] : most;
    }
    for (int i = 0; i < list->count; i++)
        if (guilt[i] < most)
            arena_excuse(list->arenas[i]);
}

bool arena_table_start(struct arena_table *table)
{
    struct arena_list *running = &table->running;
    struct arena *assigned[CONFIG_MAX_ARENAS];
    char error[ERROR_BYTES];
    if (table->recorder != NULL && !recorder_start(table->recorder, error, sizeof error)) {
        log_error("recordings failed: %s", error);
        return false;
    }
    const int worker_count = count_workers(table->config);
    running->workers = calloc((size_t)worker_count, sizeof(struct worker *));
    if (running->workers == NULL) {
        log_error("workers not started: out of memory");
        return false;
    }
    arena_table_poll_token_marking(table);
    checkpoint_note_crashes();
    excuse_innocent(running);
    for (int i = 0; i < running->count; i++)
        arena_restore(running->arenas[i]); // all of them before the first tick, which may crash
    for (int i = 0; i < worker_count; i++) {
        int count = 0;
        for (int j = i; j < running->count; j += worker_count)
            assigned[count++] = running->arenas[j];
        running->workers[i] = worker_start(i, assigned, count, error, sizeof error);
        if (running->workers[i] == NULL) {
            log_error("workers failed: %s", error);
            return false;
        }
        for (int j = i; j < running->count; j += worker_count)
            table->slots[j]->worker = running->workers[i];
        running->worker_count++;
    }
    return true;
}

void arena_table_keep_checkpoints(struct arena_table *table)
{
    for (int i = 0; i < table->running.count; i++)
        arena_keep_checkpoint(table->running.arenas[i]);
}

void arena_table_stop(struct arena_table *table)
{
    for (int i = 0; i < table->running.worker_count; i++)
        worker_stop(table->running.workers[i], GOODBYE_MS);
    for (int i = 0; i < table->running.worker_count; i++)
        worker_join(table->running.workers[i]);
    for (int i = 0; i < table->running.count; i++)
        arena_close_port(table->running.arenas[i]);
    for (struct arena_slot *slot = table->leaving; slot != NULL; slot = slot->next)
        arena_close_port(slot->arena);
}

void arena_table_close(struct arena_table *table)
{
    for (int i = 0; i < table->running.count; i++)
        arena_slot_close(table->slots[i]);
    while (table->leaving != NULL) {
        struct arena_slot *slot = table->leaving;
        table->leaving = slot->next;
        arena_slot_close(slot);
    }
    free(table->running.workers);
    recorder_close(table->recorder); // it signals the wakeup
    wakeup_close(&table->wakeup);
    config_unload(table->config);
}

bool arena_table_remove(struct arena_table *table, int index)
{
    struct arena_slot *slot = table->slots[index];
    if (!arena_is_released(slot->arena) && !worker_remove(slot->worker, slot->arena, GOODBYE_MS))
        return false;
    const size_t rest = (size_t)(table->running.count - index - 1);
    memmove(&table->slots[index], &table->slots[index + 1], rest * sizeof table->slots[0]);
    memmove(&table->running.arenas[index], &table->running.arenas[index + 1],
            rest * sizeof table->running.arenas[0]);
    table->running.count--;
    slot->next = table->leaving;
    table->leaving = slot;
    return true;
}

bool arena_table_is_leaving(const struct arena_table *table, const char *name)
{
    const struct arena_slot *slot = table->leaving;
    while (slot != NULL && strcmp(arena_slot_wanted(slot)->name, name) != 0)
        slot = slot->next;
    return slot != NULL;
}

struct arena_slot *arena_table_next_gone(struct arena_table *table)
{
    struct arena_slot **link = &table->leaving;
    while (*link != NULL && !arena_is_released((*link)->arena))
        link = &(*link)->next;
    struct arena_slot *slot = *link;
    if (slot == NULL)
        return NULL;
    *link = slot->next;
    log_arena_info(arena_slot_wanted(slot)->name, "arena ended arena=%s port=%u",
                   arena_slot_wanted(slot)->name, arena_port(slot->arena));
    return slot;
}

bool arena_table_ticks_advance(struct arena_table *table)
{
    bool advance = true;
    for (int i = 0; i < table->running.count; i++) {
        const uint32_t ticks = arena_ticks(table->running.arenas[i]);
        advance = advance && ticks != table->slots[i]->ticks_seen;
        table->slots[i]->ticks_seen = ticks;
    }
    return advance;
}

const struct config_arena *arena_table_at(const void *table, int index, uint16_t *port)
{
    const struct arena_list *running = &((const struct arena_table *)table)->running;
    if (index >= running->count)
        return NULL;
    *port = arena_port(running->arenas[index]);
    return arena_config(running->arenas[index]);
}

void arena_table_count_players(const struct arena_table *table, uint32_t *players, uint32_t *bots)
{
    *players = 0;
    *bots = 0;
    for (int i = 0; i < table->running.count; i++) {
        const struct arena_status *status = arena_status(table->running.arenas[i]);
        *players += status->counts.players;
        *bots += status->counts.bots;
    }
}

static const double bytes_per_gigabyte = 1e9;

static struct recordings_limits limits_of(const struct config *config)
{
    return (struct recordings_limits){
        .bytes = (uint64_t)(config->recording_keep.gigabytes * bytes_per_gigabyte),
        .days = config->recording_keep.days,
    };
}

bool recording_directory_find(const struct config *config, char *path)
{
    static const char name[] = "/recordings";
    if (config->recording_dir[0] != '\0') {
        strcpy(path, config->recording_dir);
        return true;
    }
    if (!unit_directories_find("STATE_DIRECTORY", path, PATH_MAX - sizeof name))
        return false;
    strcat(path, name);
    return true;
}

// Whether an arena or a template is to be recorded.
static bool is_wanted(const struct config *config)
{
    bool is = false;
    for (int i = 0; i < config->arena_count; i++)
        is = is || config->arenas[i].recording != CONFIG_RECORDING_NONE;
    for (int i = 0; i < config->template_count; i++)
        is = is || config->templates[i].recording != CONFIG_RECORDING_NONE;
    return is;
}

// Without a directory nothing is recorded, and the log says so. Returns false after logging the
// reason if the configured directory cannot be used.
static bool open_recorder(struct arena_table *table)
{
    char path[PATH_MAX], error[PATH_MAX + 64];
    const struct config *config = table->config;
    const struct recordings_limits limits = limits_of(config);
    strcpy(table->recording_dir, config->recording_dir);
    if (!recording_directory_find(config, path)) {
        if (is_wanted(config))
            log_info("recordings off: there is no $STATE_DIRECTORY and no recordings.directory");
        return true;
    }
    if (!raim_recording_is_supported()) {
        log_warning("recordings off: not written for this architecture");
        return true;
    }
    table->recorder = recorder_open(path, &limits, &table->wakeup, error, sizeof error);
    if (table->recorder != NULL) {
        table->recordings = recorder_recordings(table->recorder);
        return true;
    }
    if (config->recording_dir[0] != '\0') {
        log_error("recordings failed: %s", error);
        return false;
    }
    log_warning("recordings off: %s", error); // a full disk, perhaps: the game goes on
    return true;
}

void arena_table_change_recorder(struct arena_table *table, const struct config *config,
                                 struct reload_report *report)
{
    char path[PATH_MAX], error[PATH_MAX + 64];
    const struct recordings_limits limits = limits_of(config);
    const bool moves = strcmp(table->recording_dir, config->recording_dir) != 0;
    if (table->recorder == NULL) {
        if (!recording_directory_find(config, path)) {
            if (is_wanted(config) && !is_wanted(table->config))
                reload_report_add(report, RELOAD_REPORT_WARNING,
                                  "recordings stay off: there is no $STATE_DIRECTORY and no "
                                  "recordings.directory");
        } else if (moves) {
            reload_report_add(report, RELOAD_REPORT_WARNING,
                              "recordings stay off: to begin with them needs a restart");
        }
        return;
    }
    recorder_set_limits(table->recorder, &limits);
    if (!moves)
        return;
    if (!recording_directory_find(config, path))
        reload_report_add(report, RELOAD_REPORT_WARNING,
                          "recordings not moved: there is no $STATE_DIRECTORY");
    else if (!recorder_move(table->recorder, path, error, sizeof error))
        reload_report_add(report, RELOAD_REPORT_WARNING, "recordings not moved: %s%s", error,
                          sandbox_hint(path, errno));
    else
        strcpy(table->recording_dir, config->recording_dir);
}
