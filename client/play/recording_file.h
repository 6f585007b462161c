// SPDX-License-Identifier: MIT
// The bytes of a recording's file, mapped into memory.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording_file {
    const uint8_t *bytes; // NULL: none
    size_t size;
};

// Maps a regular file that is not empty; never waits. False with the reason in English.
bool recording_file_open(struct recording_file *file, const char *path, char *error,
                         size_t capacity);

// Takes a file that was not opened, all zero.
void recording_file_close(struct recording_file *file);
