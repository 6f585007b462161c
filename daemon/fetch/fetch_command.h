// SPDX-License-Identifier: MIT
// Commands of the process "raimd: hooks", one at a time: no shell, its own session, the body
// of the request on standard input. What it writes to standard output is thrown away.
#pragma once

#include "fetch.h"

// Runs a command until it ends, its time is up or the other end of the socket is closed; then the
// command and what it has started in its session's process group are killed.
void fetch_command_run(const struct fetch_request *request, int socket,
                       struct fetch_answer *answer);
