// SPDX-License-Identifier: MIT
// Reads the head and the index of a recording with bounded memory, whatever its size.
#define _GNU_SOURCE
#include "recording_describe.h"

#include "recording.h"

#include <assert.h>
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

// Reads a part of a file for raim_recording_peek. The file is not mapped, because it could be
// truncated meanwhile.
static bool read_part(void *context, uint64_t offset, void *bytes, size_t count)
{
    const int *file = context;
    return pread(*file, bytes, count, (off_t)offset) == (ssize_t)count;
}

static_assert(RECORDING_MAP_BYTES == RAIM_MAP_NAME_BYTES, "maps fit");
static_assert((int)RECORDING_BEST == RAIM_RECORDING_LISTED, "players fit");

static void take_summary(struct recording_entry *entry,
                         const struct raim_recording_summary *summary)
{
    const struct raim_recording_info *info = &summary->info;
    memcpy(entry->map, info->map, sizeof entry->map);
    memcpy(entry->winner, info->winner, sizeof entry->winner);
    entry->start_ms = info->start_unix_ms;
    entry->ticks = info->ticks;
    entry->tick_hz = info->tick_hz;
    entry->players = info->clients;
    entry->bots = info->bots;
    entry->is_complete = info->is_complete;
    entry->best_count = summary->listed;
    for (uint32_t i = 0; i < summary->listed; i++) {
        memcpy(entry->best[i].name, summary->players[i].name, sizeof entry->best[i].name);
        entry->best[i].score = summary->players[i].score;
        entry->best[i].deaths = summary->players[i].deaths;
    }
}

bool recording_describe(int directory, const char *name, struct recording_entry *entry)
{
    struct recording_name parts;
    struct raim_recording_summary summary;
    char error[RAIM_RECORDING_ERROR_BYTES];
    struct stat status;
    if (!recording_name_read(name, &parts))
        return false;
    int file = recording_open_file(directory, name);
    if (file < 0)
        return false;
    if (fstat(file, &status) != 0) {
        close(file);
        return false;
    }
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
    const struct raim_recording_source source = {entry->size, read_part, &file};
    if (raim_recording_peek(&source, &summary, error, sizeof error))
        take_summary(entry, &summary);
    close(file);
    return true;
}
