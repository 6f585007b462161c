// SPDX-License-Identifier: MIT
// Looks for recordings in folders, and reads their heads.
#define _GNU_SOURCE
#include "recordings.h"

#include "recording_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char suffix[] = ".raimrec";

bool recordings_is_name(const char *name)
{
    const size_t length = strlen(name), tail = sizeof suffix - 1;
    return length > tail && strcmp(name + length - tail, suffix) == 0;
}

bool recordings_home(char *folder, size_t capacity)
{
    const char *base = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length = -1;
    if (base != NULL && base[0] == '/')
        length = snprintf(folder, capacity, "%s/raim/recordings", base);
    else if (home != NULL && home[0] == '/')
        length = snprintf(folder, capacity, "%s/.local/share/raim/recordings", home);
    return length > 0 && (size_t)length < capacity;
}

static bool is_listed(const struct recordings *recordings, const char *path)
{
    for (uint32_t i = 0; i < recordings->count; i++)
        if (strcmp(recordings->entries[i].path, path) == 0)
            return true;
    return false;
}

// Inserts in the order of time; the oldest one makes room.
static void insert(struct recordings *recordings, const struct recordings_entry *entry)
{
    uint32_t at = 0;
    while (at < recordings->count && recordings->entries[at].changed_ns >= entry->changed_ns)
        at++;
    if (at == RECORDINGS_MOST)
        return;
    if (recordings->count < RECORDINGS_MOST)
        recordings->count++;
    memmove(&recordings->entries[at + 1], &recordings->entries[at],
            (recordings->count - 1 - at) * sizeof *entry);
    recordings->entries[at] = *entry;
}

static void add_file(struct recordings *recordings, DIR *directory, const char *folder,
                     const char *name)
{
    struct recordings_entry entry = {.is_good = false};
    struct stat status;
    const int length = snprintf(entry.path, sizeof entry.path, "%s/%s", folder, name);
    if (length >= (int)sizeof entry.path || is_listed(recordings, entry.path) ||
        fstatat(dirfd(directory), name, &status, 0) != 0 || !S_ISREG(status.st_mode))
        return;
    entry.changed_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    insert(recordings, &entry);
}

void recordings_add(struct recordings *recordings, const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return;
    const struct dirent *found = readdir(directory);
    for (; found != NULL; found = readdir(directory))
        if (recordings_is_name(found->d_name))
            add_file(recordings, directory, folder, found->d_name);
    closedir(directory);
}

// --- what is in them ---

static bool read_mapped(void *context, uint64_t offset, void *bytes, size_t count)
{
    const struct recording_file *file = context;
    if (offset > file->size || count > file->size - offset)
        return false;
    memcpy(bytes, file->bytes + offset, count);
    return true;
}

static void read_entry(struct recordings_entry *entry)
{
    struct recording_file file;
    struct raim_recording_summary summary;
    if (!recording_file_open(&file, entry->path, entry->fault, sizeof entry->fault))
        return;
    const struct raim_recording_source source = {
        .size = file.size, .read = read_mapped, .context = &file};
    entry->is_good = raim_recording_peek(&source, &summary, entry->fault, sizeof entry->fault);
    if (entry->is_good)
        entry->info = summary.info;
    recording_file_close(&file);
}

void recordings_read(struct recordings *recordings)
{
    for (uint32_t i = 0; i < recordings->count; i++)
        read_entry(&recordings->entries[i]);
}
