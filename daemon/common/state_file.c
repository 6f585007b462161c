// SPDX-License-Identifier: MIT
// Opens, creates and replaces files in directories that other users may be able to write to.
#define _GNU_SOURCE
#include "state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM_BYTES = 4096 }; // by which a file may grow on a full disk

// The reason not to trust an open file; NULL if it is trusted.
static const char *fault_of(int file, enum state_file_privacy privacy)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return strerror(errno);
    if (!S_ISREG(status.st_mode))
        return "it is not a regular file";
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return "it belongs to another user";
    if (privacy == STATE_FILE_SECRET && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return "it is open to others than its owner, want mode 0600";
    return NULL;
}

int state_file_open(const char *path, int mode, enum state_file_privacy privacy,
                    const char **problem)
{
    // O_NONBLOCK: opening a FIFO would otherwise wait for its other end.
    const int file = open(path, mode | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        *problem = errno == ELOOP ? "it is a symbolic link" : strerror(errno);
        return -1;
    }
    *problem = fault_of(file, privacy);
    if (*problem == NULL)
        return file;
    close(file);
    errno = EPERM;
    return -1;
}

int state_file_begin(const char *path, char temporary[PATH_MAX])
{
    if (snprintf(temporary, PATH_MAX, "%s.new", path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    // Removes a file of an interrupted start, or one planted by another user. If it cannot be
    // removed, O_EXCL makes open fail.
    unlink(temporary);
    return open(temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

bool state_file_write(int file, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size > 0) {
        const ssize_t count = write(file, at, size);
        if (count < 0 && errno != EINTR)
            return false;
        at += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
    return true;
}

bool state_file_sync_directory(const char *path)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const int length = slash == NULL ? 1 : (int)(slash - path) + 1;
    snprintf(directory, sizeof directory, "%.*s", length, slash == NULL ? "." : path);
    const int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    const bool synced = fsync(descriptor) == 0;
    close(descriptor);
    return synced;
}

// As far as the disk has any.
static void make_room(int file, size_t size)
{
    fallocate(file, FALLOC_FL_KEEP_SIZE, 0, (off_t)size + ROOM_BYTES);
}

// Writes another file, which takes the place of the old one.
static bool replace(const char *path, const void *bytes, size_t size,
                    enum state_file_durability durability)
{
    char temporary[PATH_MAX];
    const int file = state_file_begin(path, temporary);
    if (file < 0)
        return false;
    const bool is_durable = durability == STATE_FILE_DISK;
    if (durability == STATE_FILE_FULL_DISK)
        make_room(file, size);
    bool good = state_file_write(file, bytes, size) && (!is_durable || fsync(file) == 0);
    int error = errno;
    close(file);
    if (good) {
        good = rename(temporary, path) == 0;
        error = errno;
    }
    if (!good)
        unlink(temporary); // it would fill the rest of a full disk
    else if (is_durable && !state_file_sync_directory(path)) {
        good = false;
        error = errno;
    }
    errno = error;
    return good;
}

static bool write_at_start(int file, const void *bytes, size_t size)
{
    struct stat status;
    if (lseek(file, 0, SEEK_SET) != 0 || !state_file_write(file, bytes, size) ||
        fstat(file, &status) != 0)
        return false;
    if (status.st_size == (off_t)size)
        return true;
    const bool good = ftruncate(file, (off_t)size) == 0; // which frees the room
    make_room(file, size);
    return good;
}

// Writes into the room that a file has, or leaves its content as it was.
static bool overwrite(const char *path, const void *bytes, size_t size)
{
    struct stat status;
    const char *problem;
    const int file = state_file_open(path, O_RDWR, STATE_FILE_SECRET, &problem);
    if (file < 0)
        return false;
    void *before = fstat(file, &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    const bool can_undo =
        before != NULL && pread(file, before, (size_t)status.st_size, 0) == status.st_size;
    const bool good = can_undo && write_at_start(file, bytes, size);
    if (can_undo && !good)
        write_at_start(file, before, (size_t)status.st_size);
    free(before);
    close(file);
    return good;
}

bool state_file_replace(const char *path, const void *bytes, size_t size,
                        enum state_file_durability durability)
{
    if (replace(path, bytes, size, durability))
        return true;
    const int error = errno;
    const bool good =
        durability == STATE_FILE_FULL_DISK && error == ENOSPC && overwrite(path, bytes, size);
    errno = error;
    return good;
}
