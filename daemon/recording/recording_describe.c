// SPDX-License-Identifier: MIT
// Reads the head and the index of a recording with bounded memory, whatever its size.
#define _GNU_SOURCE
#include "recording_describe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int recording_open_file(int directory, const char *name)
{
    struct stat status;
    // O_NONBLOCK: opening a FIFO would otherwise wait for its other end.
    const int file =
        openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return -1;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        return file;
    close(file);
    errno = ENOENT;
    return -1;
}

static bool is_marked(int directory, const char *name)
{
    char path[NAME_MAX + 1];
    struct stat status;
    snprintf(path, sizeof path, "%s%s", name, RECORDING_KEPT_SUFFIX);
    return fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool recording_describe(int directory, const char *name, struct recording_entry *entry)
{
    struct recording_name parts;
    struct stat status;
    if (!recording_name_read(name, &parts))
        return false;
    const int file = recording_open_file(directory, name);
    if (file < 0 || fstat(file, &status) != 0)
        return false;
    *entry = (struct recording_entry){
        .start_ms = parts.start_s * 1000,
        .size = (uint64_t)status.st_size,
        .round = parts.round,
        .part = parts.part,
        .is_clip = parts.is_clip,
        .is_kept = is_marked(directory, name),
    };
    strcpy(entry->name, name);
    strcpy(entry->arena, parts.arena);
    close(file);
    return true;
}
