// SPDX-License-Identifier: MIT
// Path of the control socket of `raimd --demo`, which has no runtime directory.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Writes its path: in the user's own runtime directory, or else in /run, or of an ordinary user in
// /tmp.
static inline void demo_socket_path(char *path, size_t capacity)
{
    const char *directory = getenv("XDG_RUNTIME_DIR");
    if (directory == NULL || directory[0] != '/')
        directory = geteuid() == 0 ? "/run" : "/tmp";
    snprintf(path, capacity, "%s/raimd-demo-%u.sock", directory, (unsigned)geteuid());
}
