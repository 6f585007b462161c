// SPDX-License-Identifier: MIT
// Reads the environment variables of systemd.exec(5).
#include "unit_directories.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool unit_directories_find(const char *variable, char *path, size_t capacity)
{
    const char *all = getenv(variable);
    const int length = all != NULL ? (int)strcspn(all, ":") : 0;
    return length > 0 && snprintf(path, capacity, "%.*s", length, all) < (int)capacity;
}
