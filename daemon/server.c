// SPDX-License-Identifier: MIT
// Starts and stops arenas, workers and the status.
#define _GNU_SOURCE
#include "server.h"

#include "control.h"
#include "http.h"
#include "log.h"
#include "worker.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { GOODBYE_MS = 500, ERROR_BYTES = 256 };

struct server {
    const struct config *config;
    struct arena **arenas; // config->arena_count
    uint32_t *ticks_seen;  // by arena
    struct worker **workers;
    int worker_count;
    struct status_source source;
    struct http *http;
    struct passed passed;
    struct control *control; // NULL: off
};

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

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
        const struct config_arena *config = &server->config->arenas[i];
        server->arenas[i] = arena_create(config, &server->passed, error, sizeof error);
        if (server->arenas[i] == NULL) {
            log_error("arena failed name=%s: %s", config->name, error);
            return false;
        }
        log_info("arena started name=%s address=%s port=%u map=%s players=%u bots=%u tick_hz=%u",
                 config->name, config->address, arena_port(server->arenas[i]), config->map->name,
                 config->max_players, config->bots, config->tick_hz);
    }
    passed_warn_unused(&server->passed);
    return true;
}

static bool open_status(struct server *server)
{
    const struct config *config = server->config;
    char error[ERROR_BYTES];
    if (!config->status_enabled)
        return true;
    server->http = http_open(config->status_address, config->status_port, &server->source, error,
                             sizeof error);
    if (server->http == NULL) {
        log_error("status failed: %s", error);
        return false;
    }
    log_info("status started url=http://%s:%u/status", config->status_address,
             http_port(server->http));
    return true;
}

static bool open_control(struct server *server)
{
    char error[ERROR_BYTES];
    char path[CONFIG_CONTROL_BYTES];
    if (!control_path(server->config->control, path))
        return true;
    server->control = control_open(path, &server->source, error, sizeof error);
    if (server->control == NULL) {
        log_error("control failed: %s", error);
        return false;
    }
    log_info("control started socket=%s", path);
    return true;
}

static bool start_workers(struct server *server)
{
    const int arena_count = server->config->arena_count;
    const int worker_count = count_workers(server->config);
    char error[ERROR_BYTES];
    struct arena **dealt = calloc((size_t)arena_count, sizeof *dealt);
    server->workers = calloc((size_t)worker_count, sizeof *server->workers);
    if (dealt == NULL || server->workers == NULL) {
        free(dealt);
        log_error("out of memory");
        return false;
    }
    bool good = true;
    for (int i = 0; good && i < worker_count; i++) {
        int count = 0;
        for (int arena = i; arena < arena_count; arena += worker_count)
            dealt[count++] = server->arenas[arena];
        server->workers[i] = worker_start(i, dealt, count, error, sizeof error);
        good = server->workers[i] != NULL;
        if (good)
            server->worker_count++;
        else
            log_error("%s", error);
    }
    free(dealt);
    server->source.workers = (uint32_t)server->worker_count;
    server->source.crew = server->workers;
    return good;
}

struct server *server_start(const struct config *config)
{
    struct server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        log_error("out of memory");
        return NULL;
    }
    server->config = config;
    passed_init(&server->passed);
    server->arenas = calloc((size_t)config->arena_count, sizeof(struct arena *));
    server->ticks_seen = calloc((size_t)config->arena_count, sizeof *server->ticks_seen);
    server->source = (struct status_source){
        .arenas = server->arenas,
        .arena_count = config->arena_count,
        .started_ms = now_ms(),
    };
    const bool allocated = server->arenas != NULL && server->ticks_seen != NULL;
    if (!allocated)
        log_error("out of memory");
    if (!allocated || !open_arenas(server) || !open_status(server) || !open_control(server) ||
        !start_workers(server)) {
        server_stop(server);
        return NULL;
    }
    return server;
}

void server_stop(struct server *server)
{
    if (server->http != NULL)
        http_close(server->http);
    for (int i = 0; i < server->worker_count; i++)
        worker_stop(server->workers[i], GOODBYE_MS);
    for (int i = 0; i < server->worker_count; i++)
        worker_join(server->workers[i]);
    control_close(server->control); // after the workers, who read its bans
    for (int i = 0; server->arenas != NULL && i < server->config->arena_count; i++)
        arena_destroy(server->arenas[i]);
    free(server->workers);
    free(server->ticks_seen);
    free(server->arenas);
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

int server_timeout_ms(const struct server *server)
{
    const int http_ms = server->http != NULL ? http_timeout_ms(server->http) : -1;
    const int control_ms = server->control != NULL ? control_timeout_ms(server->control) : -1;
    return http_ms >= 0 && (control_ms < 0 || http_ms < control_ms) ? http_ms : control_ms;
}

void server_serve(struct server *server)
{
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
    bool advance = true;
    for (int i = 0; i < server->config->arena_count; i++) {
        const uint32_t ticks = arena_ticks(server->arenas[i]);
        advance = advance && ticks != server->ticks_seen[i];
        server->ticks_seen[i] = ticks;
    }
    return advance;
}

void server_count_players(struct server *server, uint32_t *players, uint32_t *bots)
{
    *players = 0;
    *bots = 0;
    for (int i = 0; i < server->config->arena_count; i++) {
        const struct arena_status *status = arena_status(server->arenas[i]);
        *players += status->counts.players;
        *bots += status->counts.bots;
    }
}
