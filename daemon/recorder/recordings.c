// SPDX-License-Identifier: MIT
// Keeps the list of a directory's finished recordings, sorted by the times in their names.
#define _GNU_SOURCE
#include "recordings.h"

#include "log.h"
#include "recordings_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void remove_all(struct recordings *recordings);

// --- Opening ---

// Whether this process may create files in a directory. A full disk is none of its matter.
static bool is_writable(int directory)
{
    static const char probe[] = ".raimd-probe";
    unlinkat(directory, probe, 0); // of a process that was killed
    const int file =
        openat(directory, probe, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return errno != EACCES && errno != EPERM && errno != EROFS;
    close(file);
    unlinkat(directory, probe, 0);
    return true;
}

// Opens a directory to which no other user may write. Returns -1 with errno and a reason in
// `error`.
static int open_directory(const char *path, char *error, size_t capacity)
{
    struct stat status;
    if (mkdir(path, 0700) != 0 && errno != EEXIST && errno != ENOSYS) // a sandbox has no mkdir
        goto failed;
    const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        goto failed;
    if (fstat(directory, &status) != 0 || (status.st_uid != geteuid() && status.st_uid != 0) ||
        (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        close(directory);
        errno = EPERM;
        snprintf(error, capacity, "cannot use \"%s\": others than this user may write to it", path);
        return -1;
    }
    if (is_writable(directory))
        return directory;
    const int problem = errno;
    close(directory);
    errno = problem;
failed:
    snprintf(error, capacity, "cannot use \"%s\": %s", path, strerror(errno));
    return -1;
}

struct recordings *recordings_open(const char *path, const struct recordings_limits *limits,
                                   const struct wakeup *wakeup, char *error, size_t capacity)
{
    struct recordings *recordings = calloc(1, sizeof *recordings);
    if (recordings == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    recordings->directory = open_directory(path, error, capacity);
    if (recordings->directory < 0) {
        free(recordings);
        return NULL;
    }
    pthread_mutex_init(&recordings->mutex, NULL);
    recordings->limits = *limits;
    recordings->wakeup = wakeup;
    recordings->version = 1;
    return recordings;
}

void recordings_close(struct recordings *recordings)
{
    if (recordings == NULL)
        return;
    close(recordings->directory);
    pthread_mutex_destroy(&recordings->mutex);
    remove_all(recordings);
    free(recordings->rows);
    free(recordings);
}

bool recordings_move(struct recordings *recordings, const char *path, char *error, size_t capacity)
{
    const int directory = open_directory(path, error, capacity);
    if (directory < 0)
        return false;
    pthread_mutex_lock(&recordings->mutex);
    close(recordings->directory);
    recordings->directory = directory;
    recordings->is_scanned = false;
    remove_all(recordings);
    recordings->version++;
    pthread_mutex_unlock(&recordings->mutex);
    return true;
}

void recordings_set_limits(struct recordings *recordings, const struct recordings_limits *limits)
{
    pthread_mutex_lock(&recordings->mutex);
    recordings->limits = *limits;
    pthread_mutex_unlock(&recordings->mutex);
}

// --- The list; the caller holds the mutex ---

static int compare(const struct row *row, int64_t start_s, const char *name)
{
    if (row->start_s != start_s)
        return row->start_s < start_s ? -1 : 1;
    return strcmp(row->entry.name, name);
}

// The index of the first row that does not precede this name.
static uint32_t lower_bound(const struct recordings *recordings, int64_t start_s, const char *name)
{
    uint32_t low = 0, high = recordings->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare(recordings->rows[middle], start_s, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The index of a name; `count` of the list if it has none of this name.
static uint32_t find(const struct recordings *recordings, const char *name)
{
    struct recording_name parts;
    if (!recording_name_read(name, &parts))
        return recordings->count;
    const uint32_t index = lower_bound(recordings, parts.start_s, name);
    if (index < recordings->count && strcmp(recordings->rows[index]->entry.name, name) == 0)
        return index;
    return recordings->count;
}

static void note_change(struct recordings *recordings)
{
    recordings->version++;
    if (recordings->wakeup != NULL)
        wakeup_signal(recordings->wakeup);
}

static void remove_row(struct recordings *recordings, uint32_t index)
{
    struct row *row = recordings->rows[index];
    recordings->bytes -= row->entry.size;
    recordings->kept_bytes -= row->entry.is_kept ? row->entry.size : 0;
    recordings->count--;
    memmove(&recordings->rows[index], &recordings->rows[index + 1],
            (recordings->count - index) * sizeof *recordings->rows);
    free(row);
    note_change(recordings);
}

static void remove_all(struct recordings *recordings)
{
    for (uint32_t i = 0; i < recordings->count; i++)
        free(recordings->rows[i]);
    recordings->count = 0;
    recordings->bytes = recordings->kept_bytes = 0;
}

// Makes room for another row. Returns false when memory runs out.
static bool has_room(struct recordings *recordings)
{
    if (recordings->count < recordings->capacity)
        return true;
    const uint32_t capacity = recordings->capacity == 0 ? 64 : 2 * recordings->capacity;
    struct row **longer = realloc(recordings->rows, capacity * sizeof *longer);
    if (longer == NULL)
        return false;
    recordings->rows = longer;
    recordings->capacity = capacity;
    return true;
}

bool recordings_insert(struct recordings *recordings, const struct recording_entry *entry)
{
    struct recording_name parts;
    if (!recording_name_read(entry->name, &parts) || !has_room(recordings))
        return false;
    const uint32_t index = lower_bound(recordings, parts.start_s, entry->name);
    if (index < recordings->count && strcmp(recordings->rows[index]->entry.name, entry->name) == 0)
        return false; // a scan has found it already
    struct row *row = malloc(sizeof *row);
    if (row == NULL)
        return false;
    *row = (struct row){.start_s = parts.start_s, .entry = *entry};
    memmove(&recordings->rows[index + 1], &recordings->rows[index],
            (recordings->count - index) * sizeof *recordings->rows);
    recordings->rows[index] = row;
    recordings->count++;
    recordings->bytes += entry->size;
    recordings->kept_bytes += entry->is_kept ? entry->size : 0;
    note_change(recordings);
    return true;
}

// --- Listing ---

uint64_t recordings_version(struct recordings *recordings)
{
    pthread_mutex_lock(&recordings->mutex);
    const uint64_t version = recordings->version;
    pthread_mutex_unlock(&recordings->mutex);
    return version;
}

uint32_t recordings_count(struct recordings *recordings, uint64_t *bytes)
{
    pthread_mutex_lock(&recordings->mutex);
    const uint32_t count = recordings->count;
    *bytes = recordings->bytes;
    pthread_mutex_unlock(&recordings->mutex);
    return count;
}

uint32_t recordings_list(struct recordings *recordings, const char *before,
                         struct recording_entry *entries, uint32_t capacity)
{
    struct recording_name parts;
    uint32_t count = 0;
    pthread_mutex_lock(&recordings->mutex);
    uint32_t index = recordings->count;
    if (before != NULL)
        index = recording_name_read(before, &parts) ? lower_bound(recordings, parts.start_s, before)
                                                    : 0;
    while (count < capacity && index > 0)
        entries[count++] = recordings->rows[--index]->entry;
    pthread_mutex_unlock(&recordings->mutex);
    return count;
}

bool recordings_find(struct recordings *recordings, const char *name, struct recording_entry *entry)
{
    pthread_mutex_lock(&recordings->mutex);
    const uint32_t index = find(recordings, name);
    const bool is_found = index < recordings->count;
    if (is_found)
        *entry = recordings->rows[index]->entry;
    pthread_mutex_unlock(&recordings->mutex);
    return is_found;
}

int recordings_open_file(struct recordings *recordings, const char *name,
                         struct recording_entry *entry)
{
    int file = -1;
    pthread_mutex_lock(&recordings->mutex);
    const uint32_t index = find(recordings, name);
    if (index == recordings->count) {
        errno = ENOENT;
    } else {
        *entry = recordings->rows[index]->entry;
        file = recording_open_file(recordings->directory, name);
    }
    const int problem = errno;
    pthread_mutex_unlock(&recordings->mutex);
    errno = problem;
    return file;
}

bool recordings_take_notice(struct recordings *recordings, struct recording_notice *notice)
{
    pthread_mutex_lock(&recordings->mutex);
    const bool has_one = recordings->taken_notices != recordings->notice_count;
    if (has_one)
        *notice = recordings->notices[recordings->taken_notices++ % RECORDINGS_NOTICES];
    pthread_mutex_unlock(&recordings->mutex);
    return has_one;
}

// --- The recorder thread's side ---

int recordings_directory(struct recordings *recordings)
{
    pthread_mutex_lock(&recordings->mutex);
    const int directory = fcntl(recordings->directory, F_DUPFD_CLOEXEC, 0);
    const int problem = errno;
    pthread_mutex_unlock(&recordings->mutex);
    errno = problem;
    return directory;
}

// Whether a descriptor is of the list's directory. The caller holds the mutex.
static bool is_ours(const struct recordings *recordings, int directory)
{
    struct stat theirs, ours;
    return fstat(directory, &theirs) == 0 && fstat(recordings->directory, &ours) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

static void give_notice(struct recordings *recordings, const struct recording_entry *entry)
{
    struct recording_notice *notice =
        &recordings->notices[recordings->notice_count++ % RECORDINGS_NOTICES];
    *notice = (struct recording_notice){.round = entry->round, .is_clip = entry->is_clip};
    memcpy(notice->name, entry->name, sizeof notice->name);
    memcpy(notice->arena, entry->arena, sizeof notice->arena);
    if (recordings->notice_count - recordings->taken_notices > RECORDINGS_NOTICES)
        recordings->taken_notices++;
}

void recordings_add(struct recordings *recordings, int directory, const char *name)
{
    struct recording_entry entry;
    if (!recording_describe(directory, name, &entry))
        return;
    pthread_mutex_lock(&recordings->mutex);
    if (is_ours(recordings, directory) && recordings_insert(recordings, &entry))
        give_notice(recordings, &entry);
    pthread_mutex_unlock(&recordings->mutex);
}

// Whether the oldest recordings have to go. The caller holds the mutex.
static bool is_over(const struct recordings *recordings, uint64_t unfinished_bytes)
{
    return recordings->bytes - recordings->kept_bytes + unfinished_bytes >
               recordings->limits.bytes ||
           recordings->count > RECORDINGS_MAX;
}

// Finds the first recording from `*index` on that must be deleted. Once one may stay, all later
// ones may, because they are younger. Returns false if there is none.
static bool find_deletable(struct recordings *recordings, uint32_t *index,
                           uint64_t unfinished_bytes, int64_t now_s,
                           char name[RECORDING_NAME_BYTES])
{
    static const double s_per_day = 86400;
    bool is_due = false;
    pthread_mutex_lock(&recordings->mutex);
    const double days = recordings->limits.days;
    while (*index < recordings->count) {
        const struct row *row = recordings->rows[*index];
        const bool is_old = days > 0 && (double)(now_s - row->start_s) / s_per_day > days;
        is_due = is_old || is_over(recordings, unfinished_bytes);
        if (!is_due || !row->entry.is_kept)
            break;
        is_due = false;
        ++*index;
    }
    if (is_due)
        memcpy(name, recordings->rows[*index]->entry.name, RECORDING_NAME_BYTES);
    pthread_mutex_unlock(&recordings->mutex);
    return is_due;
}

uint32_t recordings_trim(struct recordings *recordings, uint64_t unfinished_bytes, int64_t now_s)
{
    char name[RECORDING_NAME_BYTES];
    uint32_t index = 0, deleted = 0;
    while (find_deletable(recordings, &index, unfinished_bytes, now_s, name)) {
        const bool is_deleted = recordings_delete(recordings, name);
        deleted += is_deleted;
        index += !is_deleted;
    }
    return deleted;
}

// --- The operator's commands ---

static void write_kept_name(char path[NAME_MAX + 1], const char *name)
{
    snprintf(path, NAME_MAX + 1, "%s%s", name, RECORDING_KEPT_SUFFIX);
}

// Creates or removes the empty file that exempts a recording. Returns false with errno.
static bool mark(int directory, const char *name, bool is_kept)
{
    char path[NAME_MAX + 1];
    write_kept_name(path, name);
    if (!is_kept)
        return unlinkat(directory, path, 0) == 0 || errno == ENOENT;
    const int file = openat(directory, path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    return file >= 0 && close(file) == 0;
}

// Finds a row, and returns its directory for changes without the mutex, which the caller closes.
// Returns -1 with errno.
static int begin_change(struct recordings *recordings, const char *name,
                        struct recording_entry *entry)
{
    if (recordings_find(recordings, name, entry))
        return recordings_directory(recordings);
    errno = ENOENT;
    return -1;
}

// Locks the mutex and finds the row of a changed file; NULL if it has left the list.
static struct row *lock_row(struct recordings *recordings, int directory, const char *name)
{
    pthread_mutex_lock(&recordings->mutex);
    const uint32_t index = find(recordings, name);
    return index < recordings->count && is_ours(recordings, directory) ? recordings->rows[index]
                                                                       : NULL;
}

static void end_change(struct recordings *recordings, int directory)
{
    pthread_mutex_unlock(&recordings->mutex);
    close(directory);
}

bool recordings_keep(struct recordings *recordings, const char *name, bool is_kept)
{
    struct recording_entry entry;
    const int directory = begin_change(recordings, name, &entry);
    const bool is_done = directory >= 0 && mark(directory, name, is_kept);
    const int problem = errno;
    if (directory < 0)
        return false;
    struct row *row = lock_row(recordings, directory, name);
    if (is_done && row != NULL && row->entry.is_kept != is_kept) {
        row->entry.is_kept = is_kept;
        recordings->kept_bytes += is_kept ? row->entry.size : -row->entry.size;
        note_change(recordings);
    }
    end_change(recordings, directory);
    errno = problem;
    return is_done;
}

bool recordings_delete(struct recordings *recordings, const char *name)
{
    struct recording_entry entry;
    const int directory = begin_change(recordings, name, &entry);
    if (directory < 0)
        return false;
    // A file that is gone already is deleted.
    const bool is_done = unlinkat(directory, name, 0) == 0 || errno == ENOENT;
    const int problem = errno;
    if (is_done && entry.is_kept)
        mark(directory, name, false);
    if (lock_row(recordings, directory, name) != NULL && is_done)
        remove_row(recordings, find(recordings, name));
    end_change(recordings, directory);
    errno = problem;
    return is_done;
}
