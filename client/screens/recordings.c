// SPDX-License-Identifier: MIT
// Looks for recordings in folders, and reads their heads.
#include "recordings.h"

#include "files.h"

#include <stdio.h>
#include <string.h>

static const char suffix[] = ".raimrec";

bool recordings_is_name(const char *name)
{
    const size_t length = strlen(name), tail = sizeof suffix - 1;
    return length > tail && strcmp(name + length - tail, suffix) == 0;
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

static void add_file(void *context, const char *path, int64_t changed_ns)
{
    struct recordings_entry entry = {.changed_ns = changed_ns};
    struct recordings *recordings = context;
    if (snprintf(entry.path, sizeof entry.path, "%s", path) < (int)sizeof entry.path &&
        !is_listed(recordings, path))
        insert(recordings, &entry);
}

void recordings_add(struct recordings *recordings, const char *folder)
{
    files_list(folder, suffix, add_file, recordings);
}

static bool read_mapped(void *context, uint64_t offset, void *bytes, size_t count)
{
    const struct files_map *file = context;
    if (offset > file->size || count > file->size - offset)
        return false;
    memcpy(bytes, file->bytes + offset, count);
    return true;
}

static void read_entry(struct recordings_entry *entry)
{
    struct files_map file;
    struct raim_recording_summary summary;
    if (!files_map(&file, entry->path, entry->fault, sizeof entry->fault))
        return;
    const struct raim_recording_source source = {
        .size = file.size, .read = read_mapped, .context = &file};
    entry->is_good = raim_recording_peek(&source, &summary, entry->fault, sizeof entry->fault);
    if (entry->is_good)
        entry->info = summary.info;
    files_unmap(&file);
}

void recordings_read(struct recordings *recordings)
{
    for (uint32_t i = 0; i < recordings->count; i++)
        read_entry(&recordings->entries[i]);
}
