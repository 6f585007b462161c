// SPDX-License-Identifier: MIT
// What keeps raimd apart from the rest of the machine: helper processes for URLs, commands of the
// operator and Agones (fetch.h), where the configuration has any, and the sandbox. Main thread
// only.
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

// Enters the sandbox, if it is configured, once every port and file is open, before a worker reads
// the first datagram. Returns false after logging the reason.
bool server_sandbox_enter(const struct config *config);
