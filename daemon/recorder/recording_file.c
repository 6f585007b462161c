// SPDX-License-Identifier: MIT
// Writes, finishes and completes files of recordings.
#define _GNU_SOURCE
#include "recording_file.h"

#include "recording_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// A larger file in progress is none of raimd's: it ends one after an hour.
#define MAX_BYTES (UINT64_C(1) << 30)

static void write_part_name(char path[NAME_MAX + 1], const char *name)
{
    snprintf(path, NAME_MAX + 1, "%s%s", name, RECORDING_PART_SUFFIX);
}

bool recording_file_begin(struct recording_file *file, int directory, const char *name)
{
    char path[NAME_MAX + 1];
    struct stat status;
    write_part_name(path, name);
    *file = (struct recording_file){.directory = directory, .file = -1};
    snprintf(file->name, sizeof file->name, "%s", name);
    errno = EEXIST;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        goto failed;
    file->file = openat(directory, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file->file < 0)
        goto failed;
    flock(file->file, LOCK_EX | LOCK_NB); // without locks, on NFS perhaps, two processes compete
    return true;
failed:;
    const int problem = errno;
    recording_file_close(file);
    errno = problem;
    return false;
}

// Writes at an offset. Returns false with errno.
static bool write_at(int file, uint64_t offset, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t count = pwrite(file, bytes, size, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            errno = count == 0 ? ENOSPC : errno;
            return false;
        }
        bytes += count;
        offset += (uint64_t)count;
        size -= (size_t)count;
    }
    return true;
}

bool recording_file_append(struct recording_file *file, const void *bytes, size_t size)
{
    if (write_at(file->file, file->size, bytes, size)) {
        file->size += size;
        return true;
    }
    const int problem = errno;
    const int cut = ftruncate(file->file, (off_t)file->size);
    (void)cut; // the file's completion cuts off what does not belong to a whole frame
    errno = problem;
    return false;
}

static bool read_at(int file, uint64_t offset, uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t count = pread(file, bytes, size, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            errno = count == 0 ? EIO : errno;
            return false;
        }
        bytes += count;
        offset += (uint64_t)count;
        size -= (size_t)count;
    }
    return true;
}

bool recording_file_read(const struct recording_file *file, uint64_t offset, void *bytes,
                         size_t size)
{
    return read_at(file->file, offset, bytes, size);
}

// Syncs an open file in progress and renames it. Returns false with errno.
static bool publish(int directory, int file, const char *name)
{
    char path[NAME_MAX + 1];
    write_part_name(path, name);
    return fsync(file) == 0 && renameat(directory, path, directory, name) == 0 &&
           fsync(directory) == 0;
}

bool recording_file_finish(struct recording_file *file)
{
    return publish(file->directory, file->file, file->name);
}

static void remove_part(int directory, const char *name)
{
    char path[NAME_MAX + 1];
    write_part_name(path, name);
    unlinkat(directory, path, 0);
}

void recording_file_remove(struct recording_file *file)
{
    remove_part(file->directory, file->name);
}

void recording_file_unlock(struct recording_file *file)
{
    close(file->file);
    file->file = -1;
}

void recording_file_close(struct recording_file *file)
{
    if (file->name[0] == '\0')
        return;
    if (file->file >= 0)
        close(file->file);
    if (file->directory >= 0)
        close(file->directory);
    *file = (struct recording_file){.directory = -1, .file = -1};
}

// Opens a file in progress and locks it. Returns -1 with errno; EWOULDBLOCK: it is being written.
static int open_part(int directory, const char *name, uint64_t *size)
{
    char path[NAME_MAX + 1];
    struct stat status;
    write_part_name(path, name);
    const int file =
        openat(directory, path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return -1;
    int problem = 0;
    if (fstat(file, &status) != 0)
        problem = errno;
    else if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > MAX_BYTES)
        problem = EFBIG;
    else if (flock(file, LOCK_EX | LOCK_NB) != 0)
        problem = errno;
    if (problem == 0) {
        *size = (uint64_t)status.st_size;
        return file;
    }
    close(file);
    errno = problem;
    return -1;
}

// Appends the index of the whole frames. Returns false with errno.
static bool append_index(int file, const struct raim_recording_rest *rest)
{
    return ftruncate(file, (off_t)rest->keep) == 0 &&
           (rest->index == NULL || write_at(file, rest->keep, rest->index, rest->index_size));
}

enum recording_file_outcome recording_file_complete(int directory, const char *name, char *error,
                                                    size_t capacity)
{
    uint64_t file_size;
    struct raim_recording_rest rest = {0};
    const int file = open_part(directory, name, &file_size);
    if (file < 0) {
        snprintf(error, capacity, "%s", strerror(errno));
        return errno == EWOULDBLOCK ? RECORDING_FILE_BUSY : RECORDING_FILE_FAILED;
    }
    enum recording_file_outcome outcome = RECORDING_FILE_COMPLETED;
    const size_t size = (size_t)file_size;
    uint8_t *bytes = size == file_size ? malloc(size > 0 ? size : 1) : NULL;
    if (size != file_size)
        errno = EFBIG; // for 32 bits
    bool is_good = bytes != NULL && read_at(file, 0, bytes, size);
    const size_t head = is_good ? raim_recording_head_size(bytes, size) : 0;
    if (is_good && (head == 0 || head == size)) {
        snprintf(error, capacity, "there is no frame in it");
        remove_part(directory, name);
        outcome = RECORDING_FILE_REMOVED;
    } else if (is_good && !raim_recording_rebuild(bytes, size, &rest, error, capacity)) {
        outcome = RECORDING_FILE_AS_IT_IS;
        is_good = publish(directory, file, name);
    } else if (is_good) {
        is_good = append_index(file, &rest) && publish(directory, file, name);
    }
    if (!is_good) {
        snprintf(error, capacity, "%s", strerror(errno));
        outcome = RECORDING_FILE_FAILED;
    }
    free(rest.index);
    free(bytes);
    close(file);
    return outcome;
}
