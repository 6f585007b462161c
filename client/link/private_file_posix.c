// SPDX-License-Identifier: MIT
// Implements private_file.h with POSIX.
#define _XOPEN_SOURCE 700
#include "private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool raim_private_file_path(const char *name, char *path, size_t capacity)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = -1;
    // The XDG Base Directory Specification says that a relative path is ignored.
    if (state != NULL && state[0] == '/')
        length = snprintf(path, capacity, "%s/%s", state, name);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, capacity, "%s/.local/state/%s", home, name);
    return length > 0 && (size_t)length < capacity;
}

char *raim_private_file_read(const char *path, size_t most)
{
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? calloc(1, 1) : NULL;
    char *text = calloc(1, most + 1);
    size_t size = 0;
    ssize_t got = text == NULL ? -1 : 1;
    while (got > 0 && size < most) {
        got = read(file, text + size, most - size);
        size += got > 0 ? (size_t)got : 0;
    }
    const int error = got < 0 ? errno : size == most ? EFBIG : 0;
    close(file);
    if (error == 0)
        return text;
    free(text);
    errno = error;
    return NULL;
}

// Makes the directories that a path names. The path is as before afterwards.
static void make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

bool raim_private_file_replace(const char *path, const char *text)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    make_parents(temporary);
    unlink(temporary); // left by a program that was interrupted
    const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (out == NULL)
        return false;
    bool good = fputs(text, out) >= 0 && fflush(out) == 0 && fsync(file) == 0;
    if (fclose(out) != 0)
        good = false;
    good = good && rename(temporary, path) == 0;
    const int error = errno;
    if (!good)
        unlink(temporary);
    errno = error;
    return good;
}
