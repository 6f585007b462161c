// SPDX-License-Identifier: MIT
// What keeps raimd apart from the rest of the machine: helper processes for URLs, commands of the
// operator and Agones (fetch.h), where the configuration has any, and the sandbox. Main thread
// only.
#pragma once

#include "config.h"
#include "fetch.h"

struct server_processes {
    struct fetch *urls, *commands; // NULL: none is needed
    uint16_t agones_port;          // of Agones' SDK server, by the configuration; 0: off
};

// Starts what a configuration needs. Call it before any thread is started and any port is open.
// Returns false and writes a reason into `error`.
bool server_processes_start(struct server_processes *processes, struct loop *loop,
                            const struct config *config, char *error, size_t capacity);

void server_processes_close(struct server_processes *processes);

// Enters the sandbox, if it is configured, once every port and file is open, before a worker reads
// the first datagram. Returns false when memory runs out.
bool server_sandbox_enter(const struct config *config);
