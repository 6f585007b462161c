// SPDX-License-Identifier: MIT
// Sandbox of the running daemon: restricts system calls (seccomp) and access to files (Landlock)
// after startup, so that an attacker who takes over the process gains little more than the game.
#pragma once

#include "path_list.h"

#include <stdbool.h>
#include <stdint.h>

// The paths that stay accessible. Borrowed.
struct sandbox_paths {
    const struct path_list *readable; // directories
    const struct path_list *writable; // directories
    const char *control;              // the socket that is removed at shutdown; NULL: none
    bool resolves_names;              // the system's resolver is used (getaddrinfo)
};

struct sandbox_report {
    bool is_whole;     // both restrictions are in force
    char seccomp[64];  // "on", or "off: " and a reason
    char landlock[64]; // "abi N", or "off: " and a reason
};

// Disables core dumps, because the memory holds secrets, and tracing by other processes than
// root's.
void sandbox_forbid_cores(void);

// Enters the sandbox irrevocably. Call it when every socket and file is open and no other thread
// runs, because files are restricted only for the calling thread and the threads that it starts.
// The two restrictions are independent; without kernel support the process continues unrestricted.
struct sandbox_report sandbox_enter(const struct sandbox_paths *paths);

// A hint to append to the message of a failed open(2) if the sandbox caused it, else "". `error` is
// its errno.
const char *sandbox_hint(const char *path, int error);
