// SPDX-License-Identifier: MIT
// Starts and stops arenas, workers and the status, and changes them while they run.
#define _GNU_SOURCE
#include "server.h"

#include "acts.h"
#include "arena_table.h"
#include "control.h"
#include "heap.h"
#include "http.h"
#include "log.h"
#include "monotonic.h"
#include "reload.h"
#include "sandbox.h"
#include "sd_notify.h"
#include "source.h"
#include "unit_directories.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ERROR_BYTES = 256 };

struct server {
    struct acts acts;
    struct config *config; // held
    const char *path;      // of its file
    struct arena_table fleet;
    struct http *http;       // NULL: off
    struct control *control; // likewise
};

// As many as the configuration wants, or one per CPU, but none without an arena.
static int count_workers(const struct config *config)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const int wanted = config->workers > 0 ? (int)config->workers : cpus > 0 ? (int)cpus : 1;
    return wanted < config->arena_count ? wanted : config->arena_count;
}

static bool open_arenas(struct server *server)
{
    char error[ERROR_BYTES];
    for (int i = 0; i < server->config->arena_count; i++) {
        struct arena_slot *berth =
            arena_slot_open(&server->fleet, server->config, i, error, sizeof error);
        if (berth == NULL) {
            log_arena_error(server->config->arenas[i].name, "arena failed name=%s: %s",
                            server->config->arenas[i].name, error);
            return false;
        }
        arena_table_add(&server->fleet, berth);
    }
    socket_activation_warn_unused(&server->fleet.passed);
    return true;
}

static bool open_status(struct server *server)
{
    const struct config *config = server->config;
    char error[ERROR_BYTES];
    if (!config->status.is_on)
        return true;
    server->http = http_open(config->status.address, config->status.port, &config->status_guard,
                             &server->fleet.source, error, sizeof error);
    if (server->http == NULL) {
        log_error("status failed: %s", error);
        return false;
    }
    log_info("status started url=http://%s:%u/status", config->status.address,
             http_port(server->http));
    return true;
}

static bool open_control(struct server *server)
{
    char error[ERROR_BYTES];
    char path[CONFIG_CONTROL_BYTES];
    if (!control_path(server->config->control, path))
        return true;
    server->control = control_open(path, &server->fleet.source, &server->acts, error, sizeof error);
    if (server->control == NULL) {
        log_error("control failed: %s", error);
        return false;
    }
    log_info("control started socket=%s", path);
    return true;
}

// A directory that the service manager has given, by its path in the environment. False when memory
// runs out.
static bool add_directory(struct path_list *list, const char *variable)
{
    char directory[PATH_MAX];
    return !unit_directories_find(variable, directory, sizeof directory) ||
           path_list_add(list, directory);
}

// Everything is open, and no worker has seen a byte from outside yet.
static bool enter_sandbox(const struct config *config)
{
    char control[CONFIG_CONTROL_BYTES];
    struct path_list writable = {0};
    if (!config->sandbox) {
        log_info("sandbox off");
        return true;
    }
    if (!add_directory(&writable, "STATE_DIRECTORY") ||
        !add_directory(&writable, "RUNTIME_DIRECTORY")) {
        path_list_clear(&writable);
        log_error("sandbox failed: out of memory");
        return false;
    }
    const struct sandbox_paths paths = {
        .readable = &config->directories,
        .writable = &writable,
        .control = control_path(config->control, control) ? control : NULL,
    };
    const struct sandbox_report report = sandbox_enter(&paths);
    path_list_clear(&writable);
    if (report.is_whole)
        log_info("sandbox started seccomp=\"%s\" landlock=\"%s\"", report.seccomp, report.landlock);
    else
        log_warning("sandbox incomplete seccomp=\"%s\" landlock=\"%s\"", report.seccomp,
                    report.landlock);
    return true;
}

static bool start_workers(struct server *server)
{
    char error[ERROR_BYTES];
    if (arena_table_start(&server->fleet, count_workers(server->config), error, sizeof error))
        return true;
    log_error("workers failed: %s", error);
    return false;
}

struct server *server_start(struct config *config, const char *path)
{
    struct server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        log_error("out of memory");
        config_unload(config);
        return NULL;
    }
    server->config = config;
    server->path = path;
    server->acts = (struct acts){
        .server = server,
        .add_arena = server_add_arena,
        .remove_arena = server_remove_arena,
        .change_map = server_change_map,
        .reload = server_reload,
    };
    server->fleet.source.started_ms = monotonic_ms();
    socket_activation_init(&server->fleet.passed);
    if (!open_arenas(server) || !open_status(server) || !open_control(server) ||
        !enter_sandbox(config) || !start_workers(server)) {
        server_stop(server);
        return NULL;
    }
    return server;
}

void server_keep(struct server *server)
{
    for (int i = 0; i < server->fleet.count; i++)
        arena_keep(server->fleet.arenas[i]);
}

void server_stop(struct server *server)
{
    if (server->http != NULL)
        http_close(server->http);
    arena_table_stop(&server->fleet);
    control_close(server->control); // after the workers, who read its bans
    arena_table_close(&server->fleet);
    config_unload(server->config);
    free(server);
}

int server_descriptor(const struct server *server)
{
    return server->http != NULL ? http_descriptor(server->http) : -1;
}

int server_control_descriptor(const struct server *server)
{
    return server->control != NULL ? control_descriptor(server->control) : -1;
}

// Of two timeouts, where -1 is none.
static int earlier(int a, int b)
{
    return a >= 0 && (b < 0 || a < b) ? a : b;
}

int server_timeout_ms(const struct server *server)
{
    const int http_ms = server->http != NULL ? http_timeout_ms(server->http) : -1;
    const int control_ms = server->control != NULL ? control_timeout_ms(server->control) : -1;
    return earlier(arena_table_timeout_ms(&server->fleet), earlier(http_ms, control_ms));
}

// What the workers have given back.
static void collect(struct server *server)
{
    struct arena_table *fleet = &server->fleet;
    for (int i = 0; i < fleet->count; i++)
        if (arena_table_collect(fleet, i) && server->http != NULL)
            http_end_streams(server->http, fleet->arenas[i]);
    bool is_any_gone = false;
    struct arena_slot *gone;
    while ((gone = arena_table_next_gone(fleet)) != NULL) {
        if (server->control != NULL)
            control_forget(server->control, gone->arena);
        arena_slot_close(gone);
        is_any_gone = true;
    }
    if (is_any_gone)
        heap_trim();
}

void server_serve(struct server *server)
{
    collect(server); // first, so that what is told is not of before
    if (server->http != NULL)
        http_run(server->http);
    if (server->control != NULL)
        control_run(server->control);
}

bool server_is_drained(const struct server *server)
{
    return server->control != NULL && control_is_drained(server->control);
}

bool server_ticks_advance(struct server *server)
{
    return arena_table_ticks_advance(&server->fleet);
}

void server_tell_floods(struct server *server)
{
    char line[REJECTION_LOG_LINE_BYTES];
    for (int i = 0; i < server->fleet.count; i++) {
        struct arena *arena = server->fleet.arenas[i];
        if (rejection_log_look(arena_flood(arena), &arena_status(arena)->transport, line))
            log_arena_warning(arena_config(arena)->name, "refused arena=%s %s",
                              arena_config(arena)->name, line);
    }
}

void server_tell_overloads(struct server *server)
{
    for (int i = 0; i < server->fleet.count; i++) {
        struct arena *arena = server->fleet.arenas[i];
        struct overload *overload = arena_overload(arena);
        const struct config_arena *config = arena_config(arena);
        const struct arena_status *status = arena_status(arena);
        char line[OVERLOAD_LINE_BYTES];
        if (!overload_look(overload, status->late_ticks, status->skipped_ticks, config->tick_hz))
            continue;
        overload_write(overload, line);
        if (overload->is_on)
            log_arena_warning(config->name, "overloaded arena=%s %s p99_us=%u", config->name, line,
                              status_tick_us(status, 99));
        else
            log_arena_info(config->name, "recovered arena=%s %s p99_us=%u", config->name, line,
                           status_tick_us(status, 99));
    }
}

void server_count_players(struct server *server, uint32_t *players, uint32_t *bots)
{
    *players = 0;
    *bots = 0;
    for (int i = 0; i < server->fleet.count; i++) {
        const struct arena_status *status = arena_status(server->fleet.arenas[i]);
        *players += status->counts.players;
        *bots += status->counts.bots;
    }
}

// --- Changes ---

// Ends what looks at an arena that is about to leave.
static void leave(void *context, struct arena *arena)
{
    struct server *server = context;
    if (server->http != NULL)
        http_end_streams(server->http, arena);
}

bool server_reload(struct server *server, struct reload_report *outcome)
{
    uint32_t players, bots;
    notify_reloading();
    const bool good =
        reload_apply(&server->fleet, &server->config, server->path, outcome, leave, server);
    reload_log(outcome);
    if (good)
        log_set_level(server->config->log_level);
    server_count_players(server, &players, &bots);
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
static struct config *load_arena(struct server *server, const char *name, int *index, char *error,
                                 size_t capacity)
{
    struct reload_report outcome = {0};
    struct config *config = server->path != NULL ? reload_load(server->path, &outcome) : NULL;
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

bool server_add_arena(struct server *server, const char *name, char *error, size_t capacity)
{
    int index;
    if (arena_table_find(&server->fleet, name) >= 0) {
        snprintf(error, capacity, "arena %s runs already", name);
        return false;
    }
    struct config *config = load_arena(server, name, &index, error, capacity);
    if (config == NULL)
        return false;
    struct arena_slot *berth = arena_slot_open(&server->fleet, config, index, error, capacity);
    config_unload(config); // the berth shares it
    if (berth == NULL)
        return false;
    if (arena_table_add(&server->fleet, berth))
        return true;
    arena_slot_close(berth);
    return refuse("too many arenas, or no worker listens", error, capacity);
}

bool server_remove_arena(struct server *server, const char *name, char *error, size_t capacity)
{
    const int index = arena_table_find(&server->fleet, name);
    if (index < 0)
        return refuse("no such arena", error, capacity);
    leave(server, server->fleet.arenas[index]);
    return arena_table_remove(&server->fleet, index) ||
           refuse("the arena's worker does not listen", error, capacity);
}

// The first line of a report, or less.
static void copy_line(const char *text, char *error, size_t capacity)
{
    snprintf(error, capacity, "%.*s", (int)strcspn(text, "\n"), text);
}

// By a path that the next process will find, too. NULL when memory runs out.
static struct prepared_match *prepare_map(const struct server *server,
                                          const struct arena_slot *berth, struct config *map,
                                          const char *path)
{
    char *resolved = source_resolve(server->path != NULL ? server->path : "", path);
    if (resolved == NULL)
        return NULL;
    char *whole = realpath(resolved, NULL);
    struct prepared_match *bout =
        arena_slot_prepare_map(berth, map, whole != NULL ? whole : resolved);
    free(whole);
    free(resolved);
    return bout;
}

bool server_change_map(struct server *server, const char *name, const char *map_path, char *error,
                       size_t capacity)
{
    const int index = arena_table_find(&server->fleet, name);
    if (index < 0)
        return refuse("no such arena", error, capacity);
    const struct arena_slot *berth = server->fleet.berths[index];
    char *text = NULL;
    size_t size;
    struct diagnostics report = {.out = open_memstream(&text, &size)};
    if (report.out == NULL)
        return refuse("out of memory", error, capacity);
    struct config *map = config_load_map(server->path != NULL ? server->path : "", map_path,
                                         arena_slot_wanted(berth)->rules.player_radius, &report);
    fclose(report.out);
    copy_line(report.no_memory || text == NULL ? "out of memory" : text, error, capacity);
    free(text);
    if (map == NULL)
        return false;
    struct prepared_match *bout = prepare_map(server, berth, map, map_path);
    config_unload(map); // the bout shares it
    if (bout == NULL)
        return refuse("out of memory", error, capacity);
    arena_offer(berth->arena, bout);
    return true;
}
