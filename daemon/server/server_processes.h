// SPDX-License-Identifier: MIT
// The processes that raimd starts for what it asks of others (fetch.h): none where neither an URL
// nor a command is configured. Main thread only.
#pragma once

#include "config.h"
#include "fetch.h"

struct server_processes {
    struct fetch *urls, *commands; // NULL: none is needed
};

// Starts what a configuration needs. Call it before any thread is started and any port is open.
// Returns false after logging the reason.
bool server_processes_start(struct server_processes *processes, const struct config *config);

void server_processes_close(struct server_processes *processes);

// As of fetch.h, for both.
void server_processes_run(const struct server_processes *processes);
void server_processes_descriptors(const struct server_processes *processes, int descriptors[2]);
int server_processes_timeout_ms(const struct server_processes *processes);
