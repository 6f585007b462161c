// SPDX-License-Identifier: MIT
// Appends to results.jsonl, rotates it and reads it again.
#define _GNU_SOURCE
#include "result_log.h"

#include "state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_BYTES = 1 << 20 }; // that are read; a line of 2,000 players has half of it

struct result_log {
    char path[PATH_MAX];
    int file;     // -1: to be opened
    int64_t size; // of the file, all of it whole lines
};

struct result_log *result_log_create(const char *directory)
{
    struct result_log *log = calloc(1, sizeof *log);
    if (log == NULL)
        return NULL;
    log->file = -1;
    snprintf(log->path, sizeof log->path, "%s/results.jsonl", directory);
    return log;
}

static void close_file(struct result_log *log)
{
    if (log->file >= 0)
        close(log->file);
    log->file = -1;
}

void result_log_close(struct result_log *log)
{
    if (log != NULL)
        close_file(log);
    free(log);
}

// The path of a file: 0 is the newest.
static void path_of(const struct result_log *log, int number, char path[PATH_MAX])
{
    if (number == 0)
        snprintf(path, PATH_MAX, "%s", log->path);
    else
        snprintf(path, PATH_MAX, "%.*s.%d", PATH_MAX - 16, log->path, number);
}

// The size of a file up to its last line feed; -1 with errno.
static int64_t find_end(int file, int64_t size)
{
    char piece[4096];
    while (size > 0) {
        const size_t count = size < (int64_t)sizeof piece ? (size_t)size : sizeof piece;
        if (pread(file, piece, count, size - (int64_t)count) != (ssize_t)count)
            return -1;
        const char *feed = memrchr(piece, '\n', count);
        size -= (int64_t)count;
        if (feed != NULL)
            return size + (feed - piece) + 1;
    }
    return 0;
}

static bool open_file(struct result_log *log, const char **problem)
{
    struct stat status;
    log->file = state_file_open(log->path, O_RDWR | O_APPEND, STATE_FILE_SHARED, problem);
    if (log->file < 0 && errno == ENOENT) {
        log->file =
            open(log->path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        *problem = strerror(errno);
    }
    if (log->file < 0)
        return false;
    log->size = fstat(log->file, &status) == 0 ? find_end(log->file, status.st_size) : -1;
    if (log->size >= 0 && (log->size == status.st_size || ftruncate(log->file, log->size) == 0))
        return true;
    *problem = strerror(errno);
    close_file(log);
    return false;
}

static void rotate(struct result_log *log)
{
    char from[PATH_MAX], to[PATH_MAX];
    close_file(log);
    for (int number = RESULT_LOG_FILES; number > 0; number--) {
        path_of(log, number - 1, from);
        path_of(log, number, to);
        rename(from, to); // there may be fewer files
    }
}

// Whether the open file was removed.
static bool is_removed(const struct result_log *log)
{
    struct stat status;
    return log->file >= 0 && fstat(log->file, &status) == 0 && status.st_nlink == 0;
}

bool result_log_write(struct result_log *log, const char *line, size_t size, const char **problem)
{
    if (is_removed(log))
        close_file(log);
    if (log->file < 0 && !open_file(log, problem))
        return false;
    if (log->size > 0 && log->size + (int64_t)size + 1 > RESULT_LOG_BYTES) {
        rotate(log);
        if (!open_file(log, problem))
            return false;
    }
    if (state_file_write(log->file, line, size) && state_file_write(log->file, "\n", 1)) {
        log->size += (int64_t)size + 1;
        return true;
    }
    *problem = strerror(errno);
    if (ftruncate(log->file, log->size) != 0)
        close_file(log); // what was written of the line is cut off when it is opened
    return false;
}

// Returns false when `take` does.
static bool read_lines(FILE *in, bool (*take)(void *context, const char *line, size_t size),
                       void *context)
{
    char *line = malloc(LINE_BYTES);
    bool is_wanted = line != NULL, is_cut = false;
    while (is_wanted && fgets(line, LINE_BYTES, in) != NULL) {
        const size_t size = strlen(line);
        const bool is_ended = size > 0 && line[size - 1] == '\n';
        if (is_ended && !is_cut)
            is_wanted = take(context, line, size - 1);
        is_cut = !is_ended;
    }
    free(line);
    return is_wanted;
}

void result_log_read(const struct result_log *log, int files,
                     bool (*take)(void *context, const char *line, size_t size), void *context)
{
    bool is_wanted = true;
    for (int number = files - 1; number >= 0 && is_wanted; number--) {
        char path[PATH_MAX];
        const char *problem;
        path_of(log, number, path);
        const int file = state_file_open(path, O_RDONLY, STATE_FILE_SHARED, &problem);
        FILE *in = file >= 0 ? fdopen(file, "r") : NULL;
        if (in == NULL) {
            if (file >= 0)
                close(file);
            continue;
        }
        is_wanted = read_lines(in, take, context);
        fclose(in);
    }
}
