// SPDX-License-Identifier: MIT
// Composes the server of its arenas, the HTTP status and the control socket.
#define _GNU_SOURCE
#include "server.h"

#include "admin_logins.h"
#include "agones.h"
#include "arena_reports.h"
#include "arena_table.h"
#include "arena_table_changes.h"
#include "ban_source.h"
#include "commands.h"
#include "control.h"
#include "control_tcp.h"
#include "embedded.h"
#include "event_hook.h"
#include "http.h"
#include "lan_discovery.h"
#include "log.h"
#include "loop.h"
#include "master_listing.h"
#include "on_demand.h"
#include "orchestrator.h"
#include "password_thread.h"
#include "periodic.h"
#include "rcon.h"
#include "results.h"
#include "server_events.h"
#include "server_metrics.h"
#include "server_processes.h"
#include "store.h"
#include "systemd.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A module that is off is NULL; the table has the store, the events, the results and the recorder.
struct server {
    struct loop *loop;
    char error[256]; // why a module does not open; "": it has logged the reason
    struct metric_source metrics[SERVER_METRICS];
    struct server_processes processes;
    struct arena_table table;
    struct status_view status;
    struct orchestrator *orchestrator;
    struct event_hook *hook;
    struct on_demand *on_demand; // NULL: nobody can request one
    struct http *http;
    struct control *control;
    struct control_tcp *control_tcp;
    struct password_thread *passwords; // of RCON and of admins
    struct admin_logins *logins;
    struct rcon *rcon;
    struct lan_discovery *lan_discovery;
    struct master_listing *master_listing;
    struct periodic *periodic;
    struct arena_reports reports;
    bool has_started;
};

#define ERROR server->error, sizeof server->error

// Registers a module's section of the status and its metrics. Returns false if it did not open.
static bool add_metrics(struct server *server, const struct metric_table *table, const void *module)
{
    metric_source_set(server->metrics, SERVER_METRICS, table, module);
    return module != NULL;
}

static bool open_processes(struct server *server)
{
    const bool is_open =
        server_processes_start(&server->processes, server->loop, server->table.config, ERROR);
    server->table.urls = server->processes.urls;
    return is_open;
}

static bool open_orchestrator(struct server *server)
{
    const uint16_t port = server->processes.agones_port;
    if (port == 0)
        return true;
    server->orchestrator =
        orchestrator_open(server->loop, server->processes.urls, port, &server->table, ERROR);
    return server->orchestrator != NULL &&
           add_metrics(server, &agones_metrics, orchestrator_status(server->orchestrator));
}

static bool open_store(struct server *server)
{
    char directory[PATH_MAX];
    const bool is_kept = unit_directories_find("STATE_DIRECTORY", directory, sizeof directory);
    server->table.store = store_create(is_kept ? directory : NULL);
    if (!add_metrics(server, &store_metrics, server->table.store))
        return false;
    snprintf(ERROR, "another raimd uses the state directory \"%.150s\"", directory);
    return store_lock(server->table.store);
}

static bool open_events(struct server *server)
{
    server->table.events = server_events_open(server->table.store);
    if (server->table.events == NULL)
        return false;
    server_events_choose(server->table.events, server->table.config->event_kinds);
    server->hook = event_hook_open(server->loop, &server->table, &server->processes);
    return add_metrics(server, &event_hook_metrics, server->hook);
}

static bool open_arenas(struct server *server)
{
    server->error[0] = '\0';
    return arena_table_open(&server->table, server->table.config, server->table.path);
}

static bool open_results(struct server *server)
{
    char directory[PATH_MAX];
    if (!server->table.config->results)
        return true;
    const bool is_kept = unit_directories_find("STATE_DIRECTORY", directory, sizeof directory);
    server->table.results = results_create(
        &(struct results_def){.directory = is_kept ? directory : NULL, .loop = server->loop});
    return add_metrics(server, &results_metrics, server->table.results);
}

// Opens the arenas of the last process, where anything can request new ones.
static bool open_on_demand(struct server *server)
{
    if (!control_is_on(server->table.config) && server->orchestrator == NULL)
        return true;
    server->on_demand = on_demand_open(server->loop, &server->table, ERROR);
    return add_metrics(server, &on_demand_metrics, server->on_demand);
}

static bool open_status(struct server *server)
{
    const struct config *config = server->table.config;
    server->status.sources = server->metrics;
    server->status.source_count = SERVER_METRICS;
    status_view_open(&server->status, &server->table.running, server->loop);
    server->status.page = config->page[0] != '\0' ? config->page : NULL;
    if (!config->status.is_on)
        return true;
    const struct http_def def = {.loop = server->loop,
                                 .address = config->status.address,
                                 .port = config->status.port,
                                 .guard = &config->status_guard,
                                 .view = &server->status,
                                 .status_schema = embedded_schema_status,
                                 .history_schema = embedded_schema_history};
    server->http = http_open(&def, ERROR);
    return server->http != NULL && control_serve_documents(http_services(server->http),
                                                           server->loop, &server->table, false);
}

static bool open_control(struct server *server)
{
    const struct config *config = server->table.config;
    server->control =
        control_open(server->loop, config->control, &server->table, server->on_demand, ERROR);
    if (server->control == NULL)
        return false;
    commands_serve_status(control_commands(server->control), &server->status);
    control_serve_page(server->control, server->http, &config->status_guard);
    add_metrics(server, &ban_source_metrics,
                commands_ban_source(control_commands(server->control)));
    if (!config->control_tcp.listen.is_on)
        return true;
    server->control_tcp =
        control_tcp_open(server->loop, &config->control_tcp, server->control, server->http, ERROR);
    return add_metrics(server, &control_tcp_metrics, server->control_tcp);
}

static bool open_logins(struct server *server)
{
    server->passwords = password_thread_create(server->loop);
    if (server->passwords == NULL)
        return false;
    server->logins =
        admin_logins_create(&server->table, control_commands(server->control), server->passwords);
    return add_metrics(server, &admin_logins_metrics, server->logins);
}

static bool open_rcon(struct server *server)
{
    const struct config_rcon *config = &server->table.config->rcon;
    if (!config->listen.is_on)
        return true;
    server->rcon =
        rcon_open(server->loop, config, &server->table.running, control_commands(server->control),
                  server->passwords, admin_logins_denied(server->logins), ERROR);
    return server->rcon != NULL;
}

// The arenas can be joined without it, so it is no failure where the port is taken.
static bool open_lan_discovery(struct server *server)
{
    const struct lan_arenas arenas = {&server->table, arena_table_at};
    server->lan_discovery = lan_discovery_open(server->loop, server->table.config, &arenas);
    add_metrics(server, &lan_discovery_metrics, server->lan_discovery);
    return true;
}

static bool enter_sandbox(struct server *server)
{
    return server_sandbox_enter(server->table.config);
}

// The threads that write files.
static bool start_writers(struct server *server)
{
    store_flush(server->table.store); // that tokens are in use, before one is admitted
    if (store_start(server->table.store, server->loop) &&
        (server->table.results == NULL || results_start(server->table.results)))
        return true;
    snprintf(ERROR, "cannot start a thread: %s", strerror(errno));
    return false;
}

static bool start_workers(struct server *server)
{
    server->error[0] = '\0';
    return arena_table_start(&server->table);
}

static bool start_master_listing(struct server *server)
{
    const struct config_masters *masters = &server->table.config->masters;
    server->error[0] = '\0';
    if (masters->count == 0)
        return true;
    server->master_listing = master_listing_start(server->loop, masters, &server->table.running);
    return add_metrics(server, &master_listing_metrics, server->master_listing);
}

// What the loop does from now on.
static bool start_duties(struct server *server)
{
    server->reports = (struct arena_reports){.table = &server->table,
                                             .control = server->control,
                                             .http = server->http,
                                             .on_demand = server->on_demand,
                                             .logins = server->logins};
    server->periodic = periodic_start(server->loop, &server->table);
    return server->periodic != NULL && arena_reports_start(&server->reports, server->loop) &&
           (server->orchestrator == NULL ||
            orchestrator_start(server->orchestrator, server->loop, &server->table, server->control,
                               server->on_demand));
}

// In this order: ports and files are opened before the sandbox, threads are started in it.
// server_stop has the order of the end.
static const struct {
    const char *name; // in the log of a failure
    bool (*open)(struct server *server);
} modules[] = {
    {"requests", open_processes},          // processes for URLs and commands
    {"agones", open_orchestrator},         // gives the arenas ports
    {"store", open_store},                 // the state directory
    {"events", open_events},               // the journal and the hook
    {"arenas", open_arenas},               // the recorder, ports, matches
    {"results", open_results},             // of rounds
    {"arenas", open_on_demand},            // those of the last process
    {"status", open_status},               // HTTP
    {"control", open_control},             // the socket, and over TCP
    {"logins", open_logins},               // of admins in the game
    {"rcon", open_rcon},                   // for the tools of others
    {"LAN discovery", open_lan_discovery}, // answers to broadcasts
    {"sandbox", enter_sandbox},            // from here on without new files
    {"store", start_writers},              // threads of store and results
    {"workers", start_workers},            // threads of the arenas
    {"masters", start_master_listing},     // a thread that resolves names
    {"server", start_duties},              // timers of the main thread
};

static bool open_modules(struct server *server)
{
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        snprintf(ERROR, "out of memory");
        if (modules[i].open(server))
            continue;
        if (server->error[0] != '\0')
            log_error("%s failed: %s", modules[i].name, server->error);
        return false;
    }
    return true;
}

void server_stop(struct server *server)
{
    // The loop's duties, then what waits on the listeners of the control, before these close.
    periodic_stop(server->periodic);
    arena_reports_stop(&server->reports);
    http_end(server->http);
    control_end(server->control);
    control_tcp_close(server->control_tcp);
    rcon_close(server->rcon);
    admin_logins_destroy(server->logins);
    password_thread_destroy(server->passwords);
    arena_table_stop(&server->table);
    control_close(server->control); // after the workers, which read its ban lists
    http_close(server->http);
    arena_reports_finish(&server->reports);
    on_demand_close(server->on_demand);
    master_listing_stop(server->master_listing);
    lan_discovery_close(server->lan_discovery);
    status_view_close(&server->status);
    orchestrator_close(server->orchestrator);
    if (server->has_started)
        server_events_add(server->table.events, "stop", NULL, strdup("{}"));
    event_hook_finish(server->hook);
    // From here on this waits for the disk.
    results_close(server->table.results);
    store_stop(server->table.store);
    arena_table_close(&server->table); // each arena flushes the store
    event_hook_close(server->hook);
    server_processes_close(&server->processes);
    server_events_close(server->table.events);
    store_close(server->table.store);
    free(server);
}

struct server *server_start(struct loop *loop, struct config *config, const char *path)
{
    struct server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        log_error("out of memory");
        config_unload(config);
        return NULL;
    }
    server->loop = loop;
    server->table.config = config;
    server->table.path = path;
    server->table.wakeup.descriptor = -1;
    server->reports.table = &server->table;
    for (int i = 0; i < SERVER_METRICS; i++)
        server->metrics[i].table = server_metric_tables[i];
    if (!open_modules(server)) {
        on_demand_keep(server->on_demand); // the next start may succeed
        server_stop(server);
        return NULL;
    }
    server->has_started = true;
    server_events_add(server->table.events, "start", NULL,
                      strdup("{\"version\":\"" RAIM_VERSION "\"}"));
    return server;
}

void server_keep_checkpoints(struct server *server)
{
    server->reports.is_restarting = true;
    arena_table_keep_checkpoints(&server->table);
    on_demand_keep(server->on_demand);
}

bool server_reload(struct server *server, struct reload_report *report)
{
    return arena_table_reload(&server->table, report);
}

bool server_drain(struct server *server)
{
    if (server->orchestrator == NULL)
        return false;
    orchestrator_drain(server->orchestrator);
    return true;
}

bool server_is_drained(const struct server *server)
{
    if (server->orchestrator != NULL)
        return orchestrator_has_ended(server->orchestrator);
    return server->control != NULL && control_is_drained(server->control);
}
