// SPDX-License-Identifier: MIT
// Starts a process for URLs and one for commands.
#define _GNU_SOURCE
#include "server_processes.h"

#include "log.h"
#include "url.h"

enum { MAX_URLS = 4, ERROR_BYTES = 128 };

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

static bool start(struct loop *loop, enum fetch_role role, const uint16_t *ports, int count,
                  struct fetch **fetch)
{
    char error[ERROR_BYTES];
    *fetch = fetch_start(loop, role, ports, count, error, sizeof error);
    if (*fetch == NULL)
        log_error("requests failed: %s", error);
    return *fetch != NULL;
}

bool server_processes_start(struct server_processes *processes, struct loop *loop,
                            const struct config *config, uint16_t agones_port)
{
    uint16_t ports[MAX_URLS];
    const int count = url_ports(config, agones_port, ports);
    return (count == 0 || start(loop, FETCH_URLS, ports, count, &processes->urls)) &&
           (config->event_hook[0] != '/' ||
            start(loop, FETCH_COMMANDS, NULL, 0, &processes->commands));
}

void server_processes_close(struct server_processes *processes)
{
    fetch_close(processes->urls);
    fetch_close(processes->commands);
    *processes = (struct server_processes){0};
}
