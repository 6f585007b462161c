// SPDX-License-Identifier: MIT
// Opens recordings for their downloads.
#define _GNU_SOURCE // O_CLOEXEC, O_NOFOLLOW
#include "web_recordings.h"

#include "http_downloads.h"
#include "http_listener.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Sessions need the uplink more.
static const struct http_downloads_def limits = {
    .max = 16, .max_of_address = 4, .bytes_per_s = 4 << 20};

struct web_recordings {
    const char *directory;
    struct http_downloads *downloads;
};

struct web_recordings *web_recordings_create(struct loop *loop, const char *directory)
{
    struct web_recordings *recordings = calloc(1, sizeof *recordings);
    if (recordings == NULL)
        return NULL;
    recordings->directory = directory;
    recordings->downloads = http_downloads_create(loop, &limits);
    if (recordings->downloads != NULL)
        return recordings;
    free(recordings);
    return NULL;
}

void web_recordings_end(struct web_recordings *recordings)
{
    if (recordings != NULL)
        http_downloads_close(recordings->downloads);
}

void web_recordings_destroy(struct web_recordings *recordings)
{
    if (recordings == NULL)
        return;
    http_downloads_destroy(recordings->downloads);
    free(recordings);
}

// Letters, digits, hyphens, underscores and dots, but none at the begin, and the ending of a
// finished recording.
static bool is_name(const char *name)
{
    static const char ending[] = ".raimrec";
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    const size_t length = strlen(name), end = sizeof ending - 1;
    return length > end && length <= NAME_MAX && name[0] != '.' &&
           name[strspn(name, allowed)] == '\0' && strcmp(name + length - end, ending) == 0;
}

static int open_regular(const char *path)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 || (fstat(file, &status) == 0 && S_ISREG(status.st_mode)))
        return file;
    close(file);
    return -1;
}

bool web_recordings_answer(struct web_recordings *recordings, const struct http_request *request,
                           bool *is_sent)
{
    static const char root[] = "/recordings/";
    char path[PATH_MAX];
    const char *name = request->path + sizeof root - 1;
    if (recordings->directory[0] == '\0' || strncmp(request->path, root, sizeof root - 1) != 0 ||
        !is_name(name) ||
        snprintf(path, sizeof path, "%s/%s", recordings->directory, name) >= (int)sizeof path)
        return false;
    const int file = open_regular(path);
    if (file < 0)
        return false;
    *is_sent = http_downloads_answer(recordings->downloads, request->connection,
                                     strcmp(request->method, "HEAD") == 0, file, name);
    return true;
}
