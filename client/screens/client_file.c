// SPDX-License-Identifier: MIT
// Reads and writes JSON files.
#include "client_file.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool open_path(const char *directory, const char *name, const char *suffix,
                      char path[FILES_PATH_BYTES])
{
    const int length = snprintf(path, FILES_PATH_BYTES, "%s%s%s", directory, name, suffix);
    return directory[0] != '\0' && length < FILES_PATH_BYTES;
}

static void set_aside(const char *directory, const char *name, const char *path,
                      const json_error_t *error)
{
    char bad[FILES_PATH_BYTES];
    const bool is_kept = open_path(directory, name, ".bad", bad) && files_rename(path, bad);
    fprintf(stderr, "raim: %s is damaged (line %d: %s); the defaults hold%s%s\n", path, error->line,
            error->text, is_kept ? ", the file is kept as " : "", is_kept ? bad : "");
}

bool client_file_load(const char *directory, const char *name, char path[FILES_PATH_BYTES],
                      struct json_t **root)
{
    json_error_t error = {.line = 0};
    size_t size;
    char *text = open_path(directory, name, "", path) ? files_read(path, &size) : NULL;
    if (text == NULL)
        return false;
    *root = json_loadb(text, size, 0, &error);
    free(text);
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

bool client_file_save(const char *directory, const char *name, const struct json_t *root)
{
    char path[FILES_PATH_BYTES];
    char *text = json_dumps(root, JSON_INDENT(4) | JSON_REAL_PRECISION(4));
    const bool is_good = text != NULL && open_path(directory, name, "", path) &&
                         files_replace(path, text, strlen(text));
    free(text);
    return is_good;
}
