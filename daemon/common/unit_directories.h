// SPDX-License-Identifier: MIT
// Directories that systemd creates for a unit (systemd.exec(5), RuntimeDirectory= and the like).
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Copies the first directory of a colon-separated environment variable, such as RUNTIME_DIRECTORY,
// into `path`. False if there is none, or if it does not fit `capacity` bytes.
bool unit_directories_find(const char *variable, char *path, size_t capacity);
