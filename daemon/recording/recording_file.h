// SPDX-License-Identifier: MIT
// The bytes of a recording on the disk, mapped for reading. Thread rule: none; the caller's.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording_file {
    const uint8_t *bytes;
    size_t size;
};

// Maps a regular file. Returns false with a reason in English in `error`. A file that another
// process shortens while it is mapped ends the process with SIGBUS.
bool recording_file_open(struct recording_file *file, const char *path, char *error,
                         size_t capacity);
void recording_file_close(struct recording_file *file);
