// SPDX-License-Identifier: MIT
// Starts a process for URLs and one for commands, and restricts the process itself.
#define _GNU_SOURCE
#include "server_processes.h"

#include "control.h"
#include "log.h"
#include "master_resolver.h"
#include "orchestrator.h"
#include "sandbox.h"
#include "systemd.h"
#include "url.h"

#include <limits.h>

enum { MAX_URLS = 4 };

// The ports of the configured URLs and of Agones. Returns their number.
static int url_ports(const struct config *config, uint16_t agones_port, uint16_t ports[MAX_URLS])
{
    int count = 0;
    ports[count] = agones_port;
    count += agones_port != 0;
    count += url_read(config->event_hook, &ports[count]);
    count += url_read(config->ban_list, &ports[count]);
    return count;
}

bool server_processes_start(struct server_processes *processes, struct loop *loop,
                            const struct config *config, char *error, size_t capacity)
{
    uint16_t ports[MAX_URLS];
    processes->agones_port = orchestrator_port(config);
    const int count = url_ports(config, processes->agones_port, ports);
    const bool needs_commands = config->event_hook[0] == '/';
    if (count > 0)
        processes->urls = fetch_start(loop, FETCH_URLS, ports, count, error, capacity);
    if (needs_commands && (count == 0 || processes->urls != NULL))
        processes->commands = fetch_start(loop, FETCH_COMMANDS, NULL, 0, error, capacity);
    return (count == 0 || processes->urls != NULL) &&
           (!needs_commands || processes->commands != NULL);
}

void server_processes_close(struct server_processes *processes)
{
    fetch_close(processes->urls);
    fetch_close(processes->commands);
    *processes = (struct server_processes){0};
}

// Adds a directory that the service manager names in an environment variable. Returns false when
// memory runs out.
static bool add_directory(struct path_list *list, const char *variable)
{
    char directory[PATH_MAX];
    return !unit_directories_find(variable, directory, sizeof directory) ||
           path_list_add(list, directory);
}

bool server_sandbox_enter(const struct config *config)
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
