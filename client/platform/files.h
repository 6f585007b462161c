// SPDX-License-Identifier: MIT
// The files of a platform: the folders of the game's own files, small texts, and recordings.
// Nothing waits for another program, such as one at the other end of a pipe.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILES_PATH_BYTES = 1100 };

enum files_folder {
    FILES_SETTINGS, // $XDG_CONFIG_HOME/raim/ (~/.config without the variable)
    FILES_DATA,     // $XDG_DATA_HOME/raim/ (~/.local/share without the variable)
};

// Writes the path of a folder with a slash at its end, and then `name`, "" for the folder itself.
// False where the environment names no such folder or the path is too long.
bool files_path(enum files_folder folder, const char *name, char *path, size_t capacity);

// Reads a regular file of at most 1 MiB; the caller frees the text, which ends with a NUL. NULL
// without a file; anything else is reported on stderr in one line.
char *files_read(const char *path, size_t *size);

// Replaces a file at once, and makes its folder. False where that fails; the file before then
// stays.
bool files_replace(const char *path, const char *text, size_t size);

bool files_rename(const char *from, const char *to);

// Writes the absolute path of the folder in which a file is, without a slash at its end. False
// where there is none or it is too long.
bool files_folder_of(const char *file, char *folder, size_t capacity);

// Calls `take` with every regular file of a folder whose name ends so, and with its time, Unix time
// in nanoseconds. The folder need not exist.
void files_list(const char *folder, const char *suffix,
                void (*take)(void *context, const char *path, int64_t changed_ns), void *context);

// The bytes of a large file.
struct files_map {
    const uint8_t *bytes; // NULL: none
    size_t size;
};

// Maps a regular file that is not empty. False with the reason in English.
bool files_map(struct files_map *map, const char *path, char *error, size_t capacity);

// Takes a map that was not made, all zero.
void files_unmap(struct files_map *map);
