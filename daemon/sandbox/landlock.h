// SPDX-License-Identifier: MIT
// Landlock, landlock(7): a thread gives up access to files, for itself and for every thread that it
// starts from then on, irrevocably. Best effort: what the kernel does not know is not restricted.
#pragma once

#include <stdbool.h>

enum landlock_access {
    LANDLOCK_READ,  // read files and list directories
    LANDLOCK_WRITE, // read, and make, change, rename and remove files and sockets as well
    LANDLOCK_REMOVE // remove files and sockets
};

// The version of the kernel's interface; 0: it has none, or it is switched off.
int landlock_version(void);

// A set of rules, which allows nothing yet: no file, no program, no TCP connection, no signal to a
// process outside. A descriptor for the caller to close; -1 with errno.
int landlock_open(void);

// Allows access to a file, or to all that lies beneath a directory. A path that cannot be opened is
// left out: there is nothing to allow.
void landlock_allow(int rules, const char *path, enum landlock_access access);

// Puts the calling thread under the rules. False with errno.
bool landlock_enter(int rules);
