// SPDX-License-Identifier: MIT
// Reads and writes JSON files.
#define _GNU_SOURCE
#include "client_file.h"

#include <jansson.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 }; // of a file; the program itself writes some KB

static bool open_path(const char *directory, const char *name, const char *suffix,
                      char path[CLIENT_FILE_PATH_BYTES])
{
    const int length = snprintf(path, CLIENT_FILE_PATH_BYTES, "%s%s%s", directory, name, suffix);
    return directory[0] != '\0' && length < CLIENT_FILE_PATH_BYTES;
}

static void set_aside(const char *directory, const char *name, const char *path,
                      const json_error_t *error)
{
    char bad[CLIENT_FILE_PATH_BYTES];
    const bool is_kept = open_path(directory, name, ".bad", bad) && rename(path, bad) == 0;
    fprintf(stderr, "raim: %s is damaged (line %d: %s); the defaults hold%s%s\n", path, error->line,
            error->text, is_kept ? ", the file is kept as " : "", is_kept ? bad : "");
}

FILE *client_file_open(const char *path)
{
    struct stat status;
    // A pipe would keep the program waiting.
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT)
        return NULL;
    const bool is_good = descriptor >= 0 && fstat(descriptor, &status) == 0 &&
                         S_ISREG(status.st_mode) && status.st_size <= MOST_BYTES;
    FILE *file = is_good ? fdopen(descriptor, "r") : NULL;
    if (file != NULL)
        return file;
    fprintf(stderr, "raim: cannot read %s: %s; the defaults hold\n", path,
            descriptor < 0 ? strerror(errno) : "it is no file of at most 1 MiB");
    if (descriptor >= 0)
        close(descriptor);
    return NULL;
}

bool client_file_load(const char *directory, const char *name, char path[CLIENT_FILE_PATH_BYTES],
                      struct json_t **root)
{
    json_error_t error = {.line = 0};
    FILE *file = open_path(directory, name, "", path) ? client_file_open(path) : NULL;
    if (file == NULL)
        return false;
    *root = json_loadf(file, 0, &error);
    fclose(file);
    if (json_is_object(*root))
        return true;
    if (*root != NULL) {
        error.line = 1;
        snprintf(error.text, sizeof error.text, "no object");
        json_decref(*root);
    }
    set_aside(directory, name, path, &error);
    return false;
}

// Makes a directory and those above it.
static bool make_directory(const char *directory)
{
    char path[CLIENT_FILE_PATH_BYTES];
    if (!open_path(directory, "", "", path))
        return false;
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return true;
}

bool client_file_save(const char *directory, const char *name, const struct json_t *root)
{
    char path[CLIENT_FILE_PATH_BYTES], fresh[CLIENT_FILE_PATH_BYTES];
    return open_path(directory, name, "", path) && open_path(directory, name, ".new", fresh) &&
           make_directory(directory) &&
           json_dump_file(root, fresh, JSON_INDENT(4) | JSON_REAL_PRECISION(4)) == 0 &&
           rename(fresh, path) == 0;
}
