// SPDX-License-Identifier: MIT
// The processes that serve fetch.h. raimd executes itself: a fresh memory has no secret, and no
// descriptor is left but the socket. The first process only starts the second one, which does the
// work, whenever it dies.
#pragma once

#include "fetch.h"

// Starts both. False with errno; a program that cannot be executed shows as an end.
bool fetch_process_start(enum fetch_role role, const uint16_t *ports, int port_count, int socket);

// Whether these arguments are those of a process that must call fetch_process_main.
bool fetch_process_is(int argc, char **argv);

// Ends the process by _exit: a sanitizer's leak check would start one more process of the same name
// and, if that is killed, wait for it in a busy loop.
_Noreturn void fetch_process_main(int argc, char **argv);
