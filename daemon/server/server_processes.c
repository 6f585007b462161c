// SPDX-License-Identifier: MIT
// Starts a process for URLs and one for commands.
#define _GNU_SOURCE
#include "server_processes.h"

#include "log.h"
#include "monotonic.h"
#include "url.h"

enum { MAX_URLS = 4, ERROR_BYTES = 128 };

// The ports of the configured URLs. Returns their number.
static int url_ports(const struct config *config, uint16_t ports[MAX_URLS])
{
    int count = 0;
    count += url_read(config->event_hook, &ports[count]);
    count += url_read(config->ban_list, &ports[count]);
    return count;
}

static bool start(enum fetch_role role, const uint16_t *ports, int count, struct fetch **fetch)
{
    char error[ERROR_BYTES];
    *fetch = fetch_start(role, ports, count, error, sizeof error);
    if (*fetch == NULL)
        log_error("requests failed: %s", error);
    return *fetch != NULL;
}

bool server_processes_start(struct server_processes *processes, const struct config *config)
{
    uint16_t ports[MAX_URLS];
    const int count = url_ports(config, ports);
    return (count == 0 || start(FETCH_URLS, ports, count, &processes->urls)) &&
           (config->event_hook[0] != '/' || start(FETCH_COMMANDS, NULL, 0, &processes->commands));
}

void server_processes_close(struct server_processes *processes)
{
    fetch_close(processes->urls);
    fetch_close(processes->commands);
    *processes = (struct server_processes){0};
}

void server_processes_run(const struct server_processes *processes)
{
    if (processes->urls != NULL)
        fetch_run(processes->urls);
    if (processes->commands != NULL)
        fetch_run(processes->commands);
}

void server_processes_descriptors(const struct server_processes *processes, int descriptors[2])
{
    descriptors[0] = processes->urls != NULL ? fetch_descriptor(processes->urls) : -1;
    descriptors[1] = processes->commands != NULL ? fetch_descriptor(processes->commands) : -1;
}

int server_processes_timeout_ms(const struct server_processes *processes)
{
    const int urls_ms = processes->urls != NULL ? fetch_timeout_ms(processes->urls) : -1;
    const int commands_ms =
        processes->commands != NULL ? fetch_timeout_ms(processes->commands) : -1;
    return monotonic_earlier_ms(urls_ms, commands_ms);
}
