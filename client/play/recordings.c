// SPDX-License-Identifier: MIT
// Looks for recordings in folders, and reads their heads.
#define _GNU_SOURCE
#include "recordings.h"

#include "recording_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 10000 };

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

static bool is_before(const struct recordings_entry *a, const struct recordings_entry *b)
{
    if (a->is_good != b->is_good)
        return a->is_good;
    if (a->is_good && a->info.start_unix_ms != b->info.start_unix_ms)
        return a->info.start_unix_ms > b->info.start_unix_ms;
    return strcmp(a->path, b->path) < 0;
}

// Inserts in order; the last one makes room.
static void insert(struct recordings *recordings, const struct recordings_entry *entry)
{
    uint32_t at = 0;
    while (at < recordings->count && is_before(&recordings->entries[at], entry))
        at++;
    if (at == RECORDINGS_MOST)
        return;
    if (recordings->count < RECORDINGS_MOST)
        recordings->count++;
    memmove(&recordings->entries[at + 1], &recordings->entries[at],
            (recordings->count - 1 - at) * sizeof *entry);
    recordings->entries[at] = *entry;
}

static bool is_listed(const struct recordings *recordings, const char *path)
{
    for (uint32_t i = 0; i < recordings->count; i++)
        if (strcmp(recordings->entries[i].path, path) == 0)
            return true;
    return false;
}

static void add_file(struct recordings *recordings, const char *folder, const char *name)
{
    struct recordings_entry entry = {.is_good = false};
    struct recording_file file;
    const int length = snprintf(entry.path, sizeof entry.path, "%s/%s", folder, name);
    if (length >= (int)sizeof entry.path || is_listed(recordings, entry.path))
        return;
    if (recording_file_open(&file, entry.path, entry.fault, sizeof entry.fault)) {
        entry.is_good = raim_recording_peek(file.bytes, file.size, &entry.info, entry.fault,
                                            sizeof entry.fault);
        recording_file_close(&file);
    }
    insert(recordings, &entry);
}

void recordings_add(struct recordings *recordings, const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return;
    const struct dirent *found = readdir(directory);
    for (int i = 0; found != NULL && i < MOST_FILES; i++) {
        if (recordings_is_name(found->d_name))
            add_file(recordings, folder, found->d_name);
        found = readdir(directory);
    }
    closedir(directory);
}
