// SPDX-License-Identifier: MIT
// Composes the server of its arenas, the HTTP status and the control socket.
#define _GNU_SOURCE
#include "server.h"

#include "admin_logins.h"
#include "arena_reports.h"
#include "arena_table.h"
#include "arena_table_changes.h"
#include "commands.h"
#include "control.h"
#include "control_tcp.h"
#include "embedded.h"
#include "event_hook.h"
#include "event_streams.h"
#include "http.h"
#include "http_recordings.h"
#include "http_results.h"
#include "lan_discovery.h"
#include "last_hour.h"
#include "log.h"
#include "loop.h"
#include "master_listing.h"
#include "master_resolver.h"
#include "monotonic.h"
#include "on_demand.h"
#include "orchestrator.h"
#include "password_thread.h"
#include "periodic.h"
#include "process_usage.h"
#include "rcon.h"
#include "results.h"
#include "sandbox.h"
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

enum {
    ERROR_BYTES = 256,
    HISTORY_EVERY_MS = 1000, // a sample is taken every tenth time
};

struct server {
    struct loop *loop;
    struct arena_table table;
    struct arena_reports reports;
    struct server_processes processes;
    struct server_events *events;
    struct event_hook *hook;
    bool has_started;
    struct results *results;           // NULL: off
    struct http *http;                 // NULL: off
    struct on_demand *on_demand;       // NULL: nobody can request one
    struct control *control;           // NULL: off
    struct control_tcp *control_tcp;   // NULL: off
    struct password_thread *passwords; // of RCON and of admins
    struct admin_logins *logins;
    struct rcon *rcon;                     // NULL: off
    struct orchestrator *orchestrator;     // NULL: off
    struct master_listing *master_listing; // NULL: off
    struct lan_discovery *discovery;       // NULL: off
    struct periodic *periodic;
    struct loop_source *history; // takes samples of the last hour
    struct metric_source sources[SERVER_METRICS];
    struct status_view view;
};

// Prints where a server listens, for a URL.
static void print_listen(const struct config_listen *listen, uint16_t port,
                         char text[SOCKET_ADDRESS_PORT_BYTES])
{
    const bool has_brackets = strchr(listen->address, ':') != NULL;
    snprintf(text, SOCKET_ADDRESS_PORT_BYTES, has_brackets ? "[%s]:%u" : "%s:%u", listen->address,
             port);
}

// Prepares to record results, before anything reads them. The thread is started in the sandbox.
static bool open_results(struct server *server)
{
    char directory[PATH_MAX];
    if (!server->table.config->results)
        return true;
    const bool has_directory =
        unit_directories_find("STATE_DIRECTORY", directory, sizeof directory);
    if (!has_directory)
        log_info("results are kept in memory only: $STATE_DIRECTORY is not set");
    const struct results_def def = {.directory = has_directory ? directory : NULL,
                                    .loop = server->loop};
    server->results = results_create(&def);
    server->table.results = server->results;
    if (server->results == NULL)
        log_error("results failed: out of memory");
    return server->results != NULL;
}

static bool start_store(struct server *server)
{
    store_flush(server->table.store); // that tokens are in use, before one is admitted
    if (store_start(server->table.store, server->loop))
        return true;
    log_error("cannot start a thread: %s", strerror(errno));
    return false;
}

static bool start_results(struct server *server)
{
    if (server->results == NULL || results_start(server->results))
        return true;
    log_error("results failed: cannot start a thread: %s", strerror(errno));
    return false;
}

// The arenas can be joined without it, so it is no failure where the port is taken.
static bool open_discovery(struct server *server)
{
    if (lan_discovery_is_wanted(server->table.config))
        server->discovery = lan_discovery_open(server->loop, &server->table.running);
    return true;
}

static bool start_master_listing(struct server *server)
{
    const struct config_masters *masters = &server->table.config->masters;
    if (masters->count > 0)
        server->master_listing =
            master_listing_start(server->loop, masters, &server->table.running);
    return masters->count == 0 || server->master_listing != NULL;
}

// Prepares to keep state and to note events, before anything happens.
static bool open_events(struct server *server)
{
    char directory[PATH_MAX];
    const bool has_directory =
        unit_directories_find("STATE_DIRECTORY", directory, sizeof directory);
    server->table.store = store_create(has_directory ? directory : NULL);
    if (server->table.store != NULL && !store_lock(server->table.store)) {
        log_error("another raimd uses the state directory \"%s\"", directory);
        return false;
    }
    if (server->table.store != NULL)
        server->events = server_events_open(server->table.store);
    server->table.events = server->events;
    if (server->events != NULL)
        server->hook = event_hook_open(server->loop, &server->table, &server->processes);
    if (server->hook == NULL)
        log_error("events failed: out of memory");
    return server->hook != NULL;
}

static void close_events(struct server *server)
{
    event_hook_close(server->hook);
    server_processes_close(&server->processes);
    server_events_close(server->events);
    store_close(server->table.store); // waits for the disk
}

static bool open_status(struct server *server)
{
    char address[SOCKET_ADDRESS_PORT_BYTES];
    const struct config *config = server->table.config;
    char error[ERROR_BYTES];
    server->view = (struct status_view){
        .list = &server->table.running,
        .sources = server->sources,
        .source_count = SERVER_METRICS,
        .started_ms = monotonic_ms(),
        .last_hour = last_hour_create(&server->table.running, monotonic_ms()),
        .process = process_usage_open(), // before the sandbox closes /proc
    };
    if (!config->status.is_on)
        return true;
    const struct http_def def = {.loop = server->loop,
                                 .address = config->status.address,
                                 .port = config->status.port,
                                 .guard = &config->status_guard,
                                 .view = &server->view,
                                 .status_schema = embedded_schema_status,
                                 .history_schema = embedded_schema_history};
    server->http = http_open(&def, error, sizeof error);
    if (server->http == NULL) {
        log_error("status failed: %s", error);
        return false;
    }
    struct http_services *services = http_services(server->http);
    if (!event_streams_serve(services, server->loop, server_events_journal(server->events),
                             false) ||
        !http_recordings_serve(services, server->loop, server->table.recordings, false) ||
        (server->results != NULL &&
         !http_results_serve(services, server->loop, server->results, false))) {
        log_error("status failed: out of memory");
        return false;
    }
    print_listen(&config->status, http_port(server->http), address);
    log_info("status started url=http://%s/status", address);
    return true;
}

static bool open_control(struct server *server)
{
    char error[ERROR_BYTES];
    char path[CONFIG_CONTROL_BYTES];
    const bool has_socket = control_path(server->table.config->control, path);
    server->control = control_open(server->loop, has_socket ? path : NULL, &server->table,
                                   server->on_demand, error, sizeof error);
    if (server->control == NULL) {
        log_error("control failed: %s", error);
        return false;
    }
    commands_serve_status(control_commands(server->control), &server->view);
    control_serve_page(server->control, server->http, &server->table.config->status_guard);
    if (has_socket)
        log_info("control started socket=%s", path);
    return true;
}

// Hands over the outcome of a password to who asked for it.
static void take_password(void *context, uint32_t number, bool is_right)
{
    const struct server *server = context;
    if (server->rcon == NULL || !rcon_take_password(server->rcon, number, is_right))
        admin_logins_take_password(server->logins, number, is_right);
}

static bool open_logins(struct server *server)
{
    char address[SOCKET_ADDRESS_PORT_BYTES], error[ERROR_BYTES] = "out of memory";
    const struct config_rcon *config = &server->table.config->rcon;
    struct commands *commands = control_commands(server->control);
    server->passwords = password_thread_create(server->loop, take_password, server);
    if (server->passwords != NULL)
        server->logins = admin_logins_create(&server->table, commands, server->passwords);
    if (server->logins == NULL) {
        log_error("%s", error);
        return false;
    }
    if (!config->listen.is_on)
        return true;
    server->rcon =
        rcon_open(server->loop, config, &server->table.running, commands, server->passwords,
                  admin_logins_denied(server->logins), error, sizeof error);
    if (server->rcon == NULL) {
        log_error("rcon failed: %s", error);
        return false;
    }
    print_listen(&config->listen, rcon_port(server->rcon), address);
    log_info("rcon started address=%s", address);
    return true;
}

// Prepares the connection to Agones, and waits for the ports that it gives.
static bool open_orchestrator(struct server *server, const struct config *config, uint16_t port)
{
    char error[ERROR_BYTES] = "out of memory";
    if (port == 0)
        return true;
    server->orchestrator = orchestrator_open(config, server->processes.urls, port);
    if (server->orchestrator == NULL ||
        !orchestrator_find_ports(server->orchestrator, server->loop, config, &server->table, error,
                                 sizeof error)) {
        log_error("agones failed: %s", error);
        return false;
    }
    return true;
}

static bool start_orchestrator(struct server *server, uint16_t port)
{
    if (server->orchestrator == NULL)
        return true;
    if (!orchestrator_start(server->orchestrator, server->loop, &server->table, server->control,
                            server->on_demand)) {
        log_error("agones failed: out of memory");
        return false;
    }
    log_info("reporting to agones url=http://127.0.0.1:%u", port);
    return true;
}

// Opens the arenas of the last process, if there is a control or an orchestrator, which make new
// ones.
static bool open_arenas(struct server *server)
{
    const struct config *config = server->table.config;
    char error[ERROR_BYTES], path[CONFIG_CONTROL_BYTES];
    if (!config->control_tcp.listen.is_on && !control_path(config->control, path) &&
        server->orchestrator == NULL)
        return true;
    server->on_demand = on_demand_open(server->loop, &server->table, error, sizeof error);
    if (server->on_demand == NULL)
        log_error("arenas failed: %s", error);
    return server->on_demand != NULL;
}

static bool open_control_tcp(struct server *server)
{
    char address[SOCKET_ADDRESS_PORT_BYTES];
    char error[ERROR_BYTES];
    const struct config_control *config = &server->table.config->control_tcp;
    if (!config->listen.is_on)
        return true;
    server->control_tcp =
        control_tcp_open(server->loop, config, server->control, server->http, error, sizeof error);
    if (server->control_tcp == NULL) {
        log_error("control failed: %s", error);
        return false;
    }
    print_listen(&config->listen, control_tcp_port(server->control_tcp), address);
    log_info("control started url=%s://%s/v1", config->certificate[0] != '\0' ? "https" : "http",
             address);
    return true;
}

// Adds a directory that the service manager names in an environment variable. Returns false when
// memory runs out.
static bool add_directory(struct path_list *list, const char *variable)
{
    char directory[PATH_MAX];
    return !unit_directories_find(variable, directory, sizeof directory) ||
           path_list_add(list, directory);
}

// Enters the sandbox once every port and file is open, before a worker reads the first datagram.
static bool enter_sandbox(const struct config *config)
{
    char control[CONFIG_CONTROL_BYTES], recordings[PATH_MAX];
    struct path_list writable = {0};
    if (!config->sandbox) {
        log_info("sandbox off");
        return true;
    }
    if (!add_directory(&writable, "STATE_DIRECTORY") ||
        !add_directory(&writable, "RUNTIME_DIRECTORY") ||
        (recording_directory_find(config, recordings) && !path_list_add(&writable, recordings))) {
        path_list_clear(&writable);
        log_error("sandbox failed: out of memory");
        return false;
    }
    const struct sandbox_paths paths = {
        .readable = &config->directories,
        .writable = &writable,
        .control = control_path(config->control, control) ? control : NULL,
        .resolves_names = master_resolver_needs_names(&config->masters),
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

static void take_sample(void *context)
{
    struct server *server = context;
    last_hour_run(server->view.last_hour, monotonic_ms());
}

// Begins to serve, once everything is open.
static bool serve_arenas(struct server *server)
{
    server->reports = (struct arena_reports){.table = &server->table,
                                             .control = server->control,
                                             .http = server->http,
                                             .on_demand = server->on_demand,
                                             .logins = server->logins};
    server->periodic = periodic_start(server->loop, &server->table);
    server->history = loop_add_interval(server->loop, HISTORY_EVERY_MS, take_sample, server);
    if (arena_reports_start(&server->reports, server->loop) && server->history != NULL &&
        server->periodic != NULL)
        return true;
    log_error("out of memory");
    return false;
}

// Once every module is open.
static void set_sources(struct server *server)
{
    const struct commands *commands = control_commands(server->control);
    const void *objects[SERVER_METRICS] = {
        [SERVER_METRICS_STORE] = server->table.store,
        [SERVER_METRICS_ON_DEMAND] = server->on_demand,
        [SERVER_METRICS_RESULTS] = server->results,
        [SERVER_METRICS_MASTERS] = server->master_listing,
        [SERVER_METRICS_DISCOVERY] = server->discovery,
        [SERVER_METRICS_BAN_LIST] = commands_ban_source(commands),
        [SERVER_METRICS_AGONES] =
            server->orchestrator != NULL ? orchestrator_status(server->orchestrator) : NULL,
        [SERVER_METRICS_HOOK] = server->hook,
        [SERVER_METRICS_CONTROL] = server->control_tcp,
        [SERVER_METRICS_LOGINS] = server->logins,
    };
    for (int i = 0; i < SERVER_METRICS; i++)
        server->sources[i] = (struct metric_source){server_metric_tables[i], objects[i]};
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
    const uint16_t agones_port = orchestrator_port(config);
    if (!server_processes_start(&server->processes, loop, config, agones_port) ||
        !open_orchestrator(server, config, agones_port) || !open_events(server) ||
        !arena_table_open_recorder(&server->table, config)) {
        config_unload(config);
        orchestrator_close(server->orchestrator);
        close_events(server);
        free(server);
        return NULL;
    }
    server->table.urls = server->processes.urls;
    server_events_choose(server->events, config->event_kinds);
    if (!arena_table_open(&server->table, config, path) || !open_results(server) ||
        !open_arenas(server) || !open_status(server) || !open_control(server) ||
        !open_control_tcp(server) || !open_logins(server) || !open_discovery(server) ||
        !enter_sandbox(config) || !start_store(server) || !start_results(server) ||
        !arena_table_start(&server->table) || !start_master_listing(server) ||
        !start_orchestrator(server, agones_port) || !serve_arenas(server)) {
        if (server->on_demand != NULL)
            on_demand_keep(server->on_demand); // the next start may succeed
        server_stop(server);
        return NULL;
    }
    server->has_started = true;
    set_sources(server);
    char directory[PATH_MAX];
    if (!unit_directories_find("RUNTIME_DIRECTORY", directory, sizeof directory))
        log_info("matches are kept in memory only: $RUNTIME_DIRECTORY is not set");
    server_events_add(server->events, "start", NULL, strdup("{\"version\":\"" RAIM_VERSION "\"}"));
    return server;
}

void server_keep_checkpoints(struct server *server)
{
    server->reports.is_restarting = true;
    arena_table_keep_checkpoints(&server->table);
    if (server->on_demand != NULL)
        on_demand_keep(server->on_demand);
}

void server_stop(struct server *server)
{
    periodic_stop(server->periodic);
    loop_remove(server->history);
    arena_reports_stop(&server->reports);
    // What waits on the listeners of the control ends before these close.
    if (server->http != NULL)
        http_end(server->http);
    if (server->control != NULL)
        control_end(server->control);
    control_tcp_close(server->control_tcp);
    rcon_close(server->rcon);
    admin_logins_destroy(server->logins);
    password_thread_destroy(server->passwords);
    arena_table_stop(&server->table);
    control_close(server->control); // after the workers, which read its ban lists
    http_close(server->http);
    const struct arena_reports rest = {.table = &server->table,
                                       .on_demand = server->on_demand,
                                       .is_restarting = server->reports.is_restarting};
    arena_reports_finish(&rest);
    on_demand_close(server->on_demand);
    last_hour_destroy(server->view.last_hour);
    master_listing_stop(server->master_listing);
    lan_discovery_close(server->discovery);
    process_usage_close(server->view.process);
    orchestrator_close(server->orchestrator);
    if (server->has_started)
        server_events_add(server->events, "stop", NULL, strdup("{}"));
    event_hook_finish(server->hook);
    // From here on this waits for the disk.
    results_close(server->results);
    store_stop(server->table.store);
    arena_table_close(&server->table); // each arena flushes the store
    close_events(server);
    free(server);
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
