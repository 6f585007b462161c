// SPDX-License-Identifier: MIT
// The game's own files: JSON in the settings directory, whose name ends with a slash.
#pragma once

#include "files.h"

struct json_t;

// Reads a file into an object that the caller frees, and writes its path. False without a file. A
// file that is damaged is renamed to NAME.bad, and reported on stderr in one line.
bool client_file_load(const char *directory, const char *name, char path[FILES_PATH_BYTES],
                      struct json_t **root);

// Replaces a file at once, and makes the directory. False where that fails.
bool client_file_save(const char *directory, const char *name, const struct json_t *root);
