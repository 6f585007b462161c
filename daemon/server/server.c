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
#include "event_streams.h"
#include "http.h"
#include "http_recordings.h"
#include "http_results.h"
#include "lan_discovery.h"
#include "last_hour.h"
#include "log.h"
#include "loop.h"
#include "master_listing.h"
#include "monotonic.h"
#include "on_demand.h"
#include "orchestrator.h"
#include "password_thread.h"
#include "periodic.h"
#include "process_usage.h"
#include "rcon.h"
#include "results.h"
#include "server_events.h"
#include "server_metrics.h"
#include "server_processes.h"
#include "store.h"
#include "systemd.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_BYTES = 256 };

// A module that is off is NULL; the table has the store, the events, the results and the recorder.
struct server {
    struct loop *loop;
    char state_directory[PATH_MAX]; // "": none
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

// Registers a module's section of the status and its metrics.
static void add_metrics(struct server *server, const struct metric_table *table, const void *module)
{
    metric_source_set(server->metrics, SERVER_METRICS, table, module);
}

static bool fail(const char *module, const char *error)
{
    log_error("%s failed: %s", module, error);
    return false;
}

// Logs where a module listens: text before and behind the address and port.
static void log_listening(const char *before, const struct config_listen *listen, uint16_t port,
                          const char *behind)
{
    const bool has_brackets = strchr(listen->address, ':') != NULL;
    log_info(has_brackets ? "%s[%s]:%u%s" : "%s%s:%u%s", before, listen->address, port, behind);
}

// Prepares the connection to Agones, and waits for the ports that it gives.
static bool open_orchestrator(struct server *server)
{
    char error[ERROR_BYTES] = "out of memory";
    const struct config *config = server->table.config;
    const uint16_t port = orchestrator_port(config);
    if (!server_processes_start(&server->processes, server->loop, config, port))
        return false;
    server->table.urls = server->processes.urls;
    if (port == 0)
        return true;
    server->orchestrator = orchestrator_open(config, server->processes.urls, port);
    if (server->orchestrator == NULL ||
        !orchestrator_find_ports(server->orchestrator, server->loop, config, &server->table, error,
                                 sizeof error))
        return fail("agones", error);
    add_metrics(server, &agones_metrics, orchestrator_status(server->orchestrator));
    return true;
}

static bool open_store(struct server *server)
{
    char *directory = server->state_directory;
    const bool has_directory = unit_directories_find("STATE_DIRECTORY", directory, PATH_MAX);
    server->table.store = store_create(has_directory ? directory : NULL);
    if (server->table.store == NULL)
        return fail("store", "out of memory");
    add_metrics(server, &store_metrics, server->table.store);
    if (store_lock(server->table.store))
        return true;
    log_error("another raimd uses the state directory \"%s\"", directory);
    return false;
}

static bool open_events(struct server *server)
{
    server->table.events = server_events_open(server->table.store);
    if (server->table.events != NULL)
        server->hook = event_hook_open(server->loop, &server->table, &server->processes);
    if (server->hook == NULL)
        return fail("events", "out of memory");
    server_events_choose(server->table.events, server->table.config->event_kinds);
    add_metrics(server, &event_hook_metrics, server->hook);
    return true;
}

static bool open_results(struct server *server)
{
    const char *directory = server->state_directory;
    if (!server->table.config->results)
        return true;
    if (*directory == '\0')
        log_info("results are kept in memory only: $STATE_DIRECTORY is not set");
    const struct results_def def = {.directory = *directory != '\0' ? directory : NULL,
                                    .loop = server->loop};
    server->table.results = results_create(&def);
    add_metrics(server, &results_metrics, server->table.results);
    return server->table.results != NULL || fail("results", "out of memory");
}

// Opens the arenas of the last process, if there is a control or an orchestrator, which make new
// ones.
static bool open_on_demand(struct server *server)
{
    const struct config *config = server->table.config;
    char error[ERROR_BYTES], path[CONFIG_CONTROL_BYTES];
    if (!config->control_tcp.listen.is_on && !control_path(config->control, path) &&
        server->orchestrator == NULL)
        return true;
    server->on_demand = on_demand_open(server->loop, &server->table, error, sizeof error);
    add_metrics(server, &on_demand_metrics, server->on_demand);
    return server->on_demand != NULL || fail("arenas", error);
}

static bool open_http(struct server *server)
{
    const struct config *config = server->table.config;
    char error[ERROR_BYTES];
    server->status = (struct status_view){
        .list = &server->table.running,
        .sources = server->metrics,
        .source_count = SERVER_METRICS,
        .started_ms = monotonic_ms(),
        .last_hour = last_hour_create(&server->table.running, monotonic_ms()),
        .process = process_usage_open(), // before the sandbox closes /proc
        .page = config->page[0] != '\0' ? config->page : NULL,
    };
    if (!config->status.is_on)
        return true;
    server->http = http_open(&(struct http_def){.loop = server->loop,
                                                .address = config->status.address,
                                                .port = config->status.port,
                                                .guard = &config->status_guard,
                                                .view = &server->status,
                                                .status_schema = embedded_schema_status,
                                                .history_schema = embedded_schema_history},
                             error, sizeof error);
    if (server->http == NULL)
        return fail("status", error);
    struct http_services *services = http_services(server->http);
    if (!event_streams_serve(services, server->loop, server_events_journal(server->table.events),
                             false) ||
        !http_recordings_serve(services, server->loop, server->table.recordings, false) ||
        (server->table.results != NULL &&
         !http_results_serve(services, server->loop, server->table.results, false)))
        return fail("status", "out of memory");
    log_listening("status started url=http://", &config->status, http_port(server->http),
                  "/status");
    return true;
}

static bool open_control(struct server *server)
{
    const struct config *config = server->table.config;
    const struct config_control *tcp = &config->control_tcp;
    char error[ERROR_BYTES], path[CONFIG_CONTROL_BYTES];
    const bool has_socket = control_path(config->control, path);
    server->control = control_open(server->loop, has_socket ? path : NULL, &server->table,
                                   server->on_demand, error, sizeof error);
    if (server->control == NULL)
        return fail("control", error);
    commands_serve_status(control_commands(server->control), &server->status);
    control_serve_page(server->control, server->http, &config->status_guard);
    add_metrics(server, &ban_source_metrics,
                commands_ban_source(control_commands(server->control)));
    if (has_socket)
        log_info("control started socket=%s", path);
    if (!tcp->listen.is_on)
        return true;
    server->control_tcp =
        control_tcp_open(server->loop, tcp, server->control, server->http, error, sizeof error);
    if (server->control_tcp == NULL)
        return fail("control", error);
    add_metrics(server, &control_tcp_metrics, server->control_tcp);
    log_listening(tcp->certificate[0] != '\0' ? "control started url=https://"
                                              : "control started url=http://",
                  &tcp->listen, control_tcp_port(server->control_tcp), "/v1");
    return true;
}

static bool open_logins(struct server *server)
{
    const struct config_rcon *config = &server->table.config->rcon;
    struct commands *commands = control_commands(server->control);
    char error[ERROR_BYTES];
    server->passwords = password_thread_create(server->loop);
    if (server->passwords != NULL)
        server->logins = admin_logins_create(&server->table, commands, server->passwords);
    if (server->logins == NULL)
        return fail("logins", "out of memory");
    add_metrics(server, &admin_logins_metrics, server->logins);
    if (!config->listen.is_on)
        return true;
    server->rcon =
        rcon_open(server->loop, config, &server->table.running, commands, server->passwords,
                  admin_logins_denied(server->logins), error, sizeof error);
    if (server->rcon == NULL)
        return fail("rcon", error);
    log_listening("rcon started address=", &config->listen, rcon_port(server->rcon), "");
    return true;
}

static const struct config_arena *find_arena(const void *context, int index, uint16_t *port)
{
    const struct arena_list *list = context;
    if (index >= list->count)
        return NULL;
    *port = arena_port(list->arenas[index]);
    return arena_config(list->arenas[index]);
}

// The arenas can be joined without it, so it is no failure where the port is taken.
static bool open_lan_discovery(struct server *server)
{
    const struct lan_arenas arenas = {&server->table.running, find_arena};
    server->lan_discovery = lan_discovery_open(server->loop, server->table.config, &arenas);
    add_metrics(server, &lan_discovery_metrics, server->lan_discovery);
    return true;
}

// The threads that write files.
static bool start_writers(struct server *server)
{
    store_flush(server->table.store); // that tokens are in use, before one is admitted
    if (store_start(server->table.store, server->loop) &&
        (server->table.results == NULL || results_start(server->table.results)))
        return true;
    log_error("cannot start a thread: %s", strerror(errno));
    return false;
}

static bool start_master_listing(struct server *server)
{
    const struct config_masters *masters = &server->table.config->masters;
    if (masters->count == 0)
        return true;
    server->master_listing = master_listing_start(server->loop, masters, &server->table.running);
    add_metrics(server, &master_listing_metrics, server->master_listing);
    return server->master_listing != NULL;
}

// Begins to serve, once everything is open.
static bool serve(struct server *server)
{
    server->reports = (struct arena_reports){.table = &server->table,
                                             .control = server->control,
                                             .http = server->http,
                                             .on_demand = server->on_demand,
                                             .logins = server->logins};
    server->periodic = periodic_start(server->loop, &server->table);
    return (server->periodic != NULL && last_hour_start(server->status.last_hour, server->loop) &&
            arena_reports_start(&server->reports, server->loop) &&
            (server->orchestrator == NULL ||
             orchestrator_start(server->orchestrator, server->loop, &server->table, server->control,
                                server->on_demand))) ||
           fail("server", "out of memory");
}

// In this order: ports and files are opened before the sandbox, threads are started in it.
static bool start(struct server *server, const char *path)
{
    return open_orchestrator(server) && open_store(server) && open_events(server) &&
           arena_table_open(&server->table, server->table.config, path) && open_results(server) &&
           open_on_demand(server) && open_http(server) && open_control(server) &&
           open_logins(server) && open_lan_discovery(server) &&
           server_sandbox_enter(server->table.config) && start_writers(server) &&
           arena_table_start(&server->table) && start_master_listing(server) && serve(server);
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
    server->table.wakeup.descriptor = -1;
    for (int i = 0; i < SERVER_METRICS; i++)
        server->metrics[i].table = server_metric_tables[i];
    if (!start(server, path)) {
        on_demand_keep(server->on_demand); // the next start may succeed
        server_stop(server);
        return NULL;
    }
    server->has_started = true;
    char directory[PATH_MAX];
    if (!unit_directories_find("RUNTIME_DIRECTORY", directory, sizeof directory))
        log_info("matches are kept in memory only: $RUNTIME_DIRECTORY is not set");
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

void server_stop(struct server *server)
{
    periodic_stop(server->periodic);
    last_hour_destroy(server->status.last_hour);
    arena_reports_stop(&server->reports);
    // What waits on the listeners of the control ends before these close.
    http_end(server->http);
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
    master_listing_stop(server->master_listing);
    lan_discovery_close(server->lan_discovery);
    process_usage_close(server->status.process);
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
