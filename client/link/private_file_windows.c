// SPDX-License-Identifier: MIT
// Implements private_file.h with Windows' C runtime. A user's local application data is accessible
// to that user alone.
#include "private_file.h"

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

bool raim_private_file_path(const char *name, char *path, size_t capacity)
{
    const char *state = getenv("LOCALAPPDATA");
    const int length = state != NULL ? snprintf(path, capacity, "%s/%s", state, name) : -1;
    return length > 0 && (size_t)length < capacity;
}

static bool is_link(const char *path)
{
    const DWORD attributes = GetFileAttributesA(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT);
}

char *raim_private_file_read(const char *path, size_t most)
{
    if (is_link(path)) {
        errno = EACCES;
        return NULL;
    }
    const int file = _open(path, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
    if (file < 0)
        return errno == ENOENT ? calloc(1, 1) : NULL;
    char *text = calloc(1, most + 1);
    size_t size = 0;
    int got = text == NULL ? -1 : 1;
    while (got > 0 && size < most) {
        got = _read(file, text + size, (unsigned)(most - size));
        size += got > 0 ? (size_t)got : 0;
    }
    const int error = got < 0 ? errno : size == most ? EFBIG : 0;
    _close(file);
    if (error == 0)
        return text;
    free(text);
    errno = error;
    return NULL;
}

static void make_parents(const char *path)
{
    char parent[MAX_PATH];
    if (strlen(path) >= sizeof parent)
        return;
    strcpy(parent, path);
    for (char *at = parent + 1; *at != '\0'; at++) {
        const char separator = *at;
        if (separator != '/' && separator != '\\')
            continue;
        *at = '\0';
        _mkdir(parent);
        *at = separator;
    }
}

bool raim_private_file_replace(const char *path, const char *text)
{
    char temporary[MAX_PATH];
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    make_parents(path);
    _unlink(temporary); // left by a program that was interrupted
    const int file = _open(temporary, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
                           _S_IREAD | _S_IWRITE);
    FILE *out = file >= 0 ? _fdopen(file, "wb") : NULL;
    if (out == NULL)
        return false;
    bool good = fputs(text, out) >= 0 && fflush(out) == 0 && _commit(file) == 0;
    if (fclose(out) != 0)
        good = false;
    int error = errno;
    if (good && !MoveFileExA(temporary, path, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
        good = false;
        error = EACCES;
    }
    if (!good)
        _unlink(temporary);
    errno = error;
    return good;
}
