// SPDX-License-Identifier: MIT
// The directories that the service manager gives us.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The first directory of a variable of the environment that may have several, between colons, such
// as RUNTIME_DIRECTORY. False where there is none, or no room for its path.
bool unit_directories_find(const char *variable, char *path, size_t capacity);
