// SPDX-License-Identifier: MIT
// Maps files of recordings.
#define _GNU_SOURCE
#include "recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map(struct recording_file *file, int descriptor, char *error, size_t capacity)
{
    struct stat status;
    const char *problem = NULL;
    if (fstat(descriptor, &status) != 0)
        problem = strerror(errno);
    else if (S_ISDIR(status.st_mode))
        problem = "is a directory, not a recording";
    else if (!S_ISREG(status.st_mode))
        problem = "is not a regular file";
    else if (status.st_size == 0)
        problem = "is empty";
    if (problem == NULL) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED) {
            *file = (struct recording_file){bytes, (size_t)status.st_size};
            return true;
        }
        problem = strerror(errno);
    }
    snprintf(error, capacity, "%s", problem);
    return false;
}

bool recording_file_open(struct recording_file *file, const char *path, char *error,
                         size_t capacity)
{
    *file = (struct recording_file){0};
    // A pipe must not make the game wait for its other end.
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        snprintf(error, capacity, "%s", strerror(errno));
        return false;
    }
    const bool is_mapped = map(file, descriptor, error, capacity);
    close(descriptor);
    return is_mapped;
}

void recording_file_close(struct recording_file *file)
{
    if (file->bytes != NULL)
        munmap((void *)file->bytes, file->size);
    *file = (struct recording_file){0};
}
