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
bool server_processes_start(struct server_processes *processes, struct loop *loop,
                            const struct config *config);

void server_processes_close(struct server_processes *processes);
