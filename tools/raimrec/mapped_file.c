// SPDX-License-Identifier: MIT
// Maps a regular file, and closes its descriptor at once.
#define _GNU_SOURCE
#include "mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map(struct mapped_file *file, int descriptor, char *error, size_t capacity)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        snprintf(error, capacity, "%s", strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode) || status.st_size == 0) {
        snprintf(error, capacity, "%s",
                 S_ISREG(status.st_mode) ? "the file is empty" : "not a regular file");
        return false;
    }
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED) {
        snprintf(error, capacity, "%s", strerror(errno));
        return false;
    }
    file->bytes = bytes;
    file->size = (size_t)status.st_size;
    return true;
}

bool mapped_file_open(struct mapped_file *file, const char *path, char *error, size_t capacity)
{
    // O_NONBLOCK: a FIFO without a writer does not block the opening.
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        snprintf(error, capacity, "%s", strerror(errno));
        return false;
    }
    const bool is_mapped = map(file, descriptor, error, capacity);
    close(descriptor);
    return is_mapped;
}

void mapped_file_close(struct mapped_file *file)
{
    munmap((void *)(uintptr_t)file->bytes, file->size);
}
