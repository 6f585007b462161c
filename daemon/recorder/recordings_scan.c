// SPDX-License-Identifier: MIT
// Fills the list of recordings from the directory, and completes the files of a crash.
#define _GNU_SOURCE
#include "recordings_internal.h"

#include "log.h"
#include "recording.h"
#include "recording_file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Removes a suffix from a name. Returns false if the name does not end so.
static bool strip(char *name, const char *suffix)
{
    const size_t length = strlen(name), suffix_length = strlen(suffix);
    if (length < suffix_length || strcmp(name + length - suffix_length, suffix) != 0)
        return false;
    name[length - suffix_length] = '\0';
    return true;
}

// Calls `take` for each file whose name is a recording's with this suffix.
static void for_each(int directory, const char *suffix, void *context,
                     void (*take)(void *context, int directory, const char *name))
{
    struct recording_name parts;
    // A separate descriptor, because reading moves the position.
    const int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = own >= 0 ? fdopendir(own) : NULL;
    if (listing == NULL) {
        log_warning("recordings not listed: %s", strerror(errno));
        if (own >= 0)
            close(own);
        return;
    }
    for (struct dirent *item; (item = readdir(listing)) != NULL;) {
        char name[NAME_MAX + 1];
        snprintf(name, sizeof name, "%s", item->d_name);
        if (strip(name, suffix) && recording_name_read(name, &parts))
            take(context, directory, name);
    }
    closedir(listing);
}

static void complete_file(void *context, int directory, const char *name)
{
    char error[RECORDING_FILE_ERROR_BYTES];
    struct recordings *recordings = context;
    switch (recording_file_complete(directory, name, error, sizeof error)) {
    case RECORDING_FILE_COMPLETED:
        log_info("recording completed file=%s", name);
        recordings_add(recordings, directory, name);
        break;
    case RECORDING_FILE_AS_IT_IS:
        log_warning("recording damaged file=%s: %s", name, error);
        recordings_add(recordings, directory, name);
        break;
    case RECORDING_FILE_REMOVED:
        log_info("recording removed file=%s: %s", name, error);
        break;
    case RECORDING_FILE_FAILED:
        log_warning("recording not completed file=%s: %s", name, error);
        break;
    case RECORDING_FILE_BUSY:
        break;
    }
}

// Whether the file that a clip was cut from is still being written: of the same arena and round.
struct source {
    const struct recording_name *clip;
    bool is_found;
};

static void compare_source(void *context, int directory, const char *name)
{
    struct source *source = context;
    struct recording_name parts;
    (void)directory;
    if (recording_name_read(name, &parts) && parts.round == source->clip->round &&
        strcmp(parts.arena, source->clip->arena) == 0)
        source->is_found = true;
}

static void list_file(void *context, int directory, const char *name)
{
    struct recordings *recordings = context;
    struct recording_name parts;
    struct recording_entry entry;
    if (!recording_describe(directory, name, &entry) || !recording_name_read(name, &parts))
        return;
    struct source source = {.clip = &parts};
    if (parts.is_clip)
        for_each(directory, RECORDING_PART_SUFFIX, &source, compare_source);
    if (source.is_found)
        return; // it is added when the round's file is
    pthread_mutex_lock(&recordings->mutex);
    recordings_insert(recordings, &entry);
    pthread_mutex_unlock(&recordings->mutex);
}

// Removes the mark of a recording whose file was deleted by hand.
static void check_mark(void *context, int directory, const char *name)
{
    struct stat status;
    char path[NAME_MAX + 1];
    (void)context;
    snprintf(path, sizeof path, "%s%s", name, RECORDING_KEPT_SUFFIX);
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        unlinkat(directory, path, 0);
}

void recordings_complete(struct recordings *recordings)
{
    const int directory = recordings_directory(recordings);
    if (directory < 0)
        return;
    for_each(directory, RECORDING_PART_SUFFIX, recordings, complete_file);
    close(directory);
}

bool recordings_scan(struct recordings *recordings)
{
    pthread_mutex_lock(&recordings->mutex);
    const bool is_scanned = recordings->is_scanned;
    recordings->is_scanned = true;
    pthread_mutex_unlock(&recordings->mutex);
    const int directory = is_scanned ? -1 : recordings_directory(recordings);
    if (directory < 0)
        return false;
    for_each(directory, RECORDING_PART_SUFFIX, recordings, complete_file);
    for_each(directory, "", recordings, list_file);
    for_each(directory, RECORDING_KEPT_SUFFIX, NULL, check_mark);
    close(directory);
    return true;
}

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
