// SPDX-License-Identifier: MIT
// Small text files that belong to the user alone: reads one as a whole, and replaces one
// atomically. private_file_posix.c and private_file_windows.c implement it. Windows takes paths in
// the code page of the process. Thread rule: any thread may call the functions; two that replace
// one file at once must not.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Writes the path of a file below the user's directory for state: $XDG_STATE_HOME or
// ~/.local/state, on Windows %LOCALAPPDATA%. False where none is set, or for a longer path.
bool raim_private_file_path(const char *name, char *path, size_t capacity);

// Returns the text of the file, to be freed; "" where the file does not exist. NULL with errno
// where it cannot be read, is a symbolic link, or has `most` bytes or more.
char *raim_private_file_read(const char *path, size_t most);

// Replaces the file, or creates it and the directories above it, all accessible to the user alone.
// Whoever reads it at the same time gets the old text or the new one. False with errno.
bool raim_private_file_replace(const char *path, const char *text);
