// SPDX-License-Identifier: MIT
// A file that is mapped into memory for reading.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapped_file {
    const uint8_t *bytes;
    size_t size;
};

// Maps a regular file. Returns false with a reason in English in `error`. A file that another
// process shortens while it is mapped ends the process with SIGBUS.
bool mapped_file_open(struct mapped_file *file, const char *path, char *error, size_t capacity);
void mapped_file_close(struct mapped_file *file);
