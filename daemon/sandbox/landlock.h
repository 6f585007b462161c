// SPDX-License-Identifier: MIT
// Wrapper of Landlock (landlock(7)): irrevocably restricts the access to files of a thread and of
// the threads that it starts later. Best effort: accesses that the kernel's version does not know
// remain unrestricted.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum landlock_access {
    LANDLOCK_READ,  // read files and list directories
    LANDLOCK_WRITE, // read, create, change, rename and remove files and sockets
    LANDLOCK_REMOVE // remove files and sockets
};

// The kernel's Landlock ABI version; 0: not supported or disabled.
int landlock_version(void);

// Creates a ruleset that allows nothing: no file, no program, no TCP connection, no signal to a
// process outside. Returns a descriptor, which the caller closes; -1 with errno.
int landlock_open(void);

// Allows access to a file, or to everything beneath a directory. Ignores a path that cannot be
// opened.
void landlock_allow(int rules, const char *path, enum landlock_access access);

// Allows TCP connections to this port. Before version 4 the kernel allows them to any port.
void landlock_allow_connect(int rules, uint16_t port);

// Applies the rules to the calling thread. False with errno.
bool landlock_enter(int rules);
