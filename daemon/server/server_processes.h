// SPDX-License-Identifier: MIT
// Starts the helper processes for URLs, commands of the operator and Agones (fetch.h), where the
// configuration has any. Main thread only.
#pragma once

#include "config.h"
#include "fetch.h"

struct server_processes {
    struct fetch *urls, *commands; // NULL: none is needed
};

// Starts what a configuration needs; `agones_port` is that of its SDK server, 0: none. Call it
// before any thread is started and any port is open. Returns false after logging the reason.
bool server_processes_start(struct server_processes *processes, struct loop *loop,
                            const struct config *config, uint16_t agones_port);

void server_processes_close(struct server_processes *processes);
