// SPDX-License-Identifier: MIT
// Stores paths in a growing array. Lists are short, so a search is linear.
#define _GNU_SOURCE
#include "path_list.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool path_list_add(struct path_list *list, const char *path)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i], path) == 0)
            return true;
    const size_t bytes = (size_t)(list->count + 1) * sizeof *list->items;
    char **items = realloc(list->items, bytes);
    if (items == NULL)
        return false;
    list->items = items;
    items[list->count] = strdup(path);
    if (items[list->count] == NULL)
        return false;
    list->count++;
    return true;
}

// Cuts the last component off an absolute path.
static void cut_name(char *path)
{
    char *slash = strrchr(path, '/');
    slash[slash == path] = '\0';
}

bool path_list_add_directories(struct path_list *list, const char *file)
{
    char target[PATH_MAX], parent[PATH_MAX];
    const char *slash = strrchr(file, '/');
    char *name = slash == NULL ? strdup(".") : strndup(file, (size_t)(slash - file) + 1);
    if (name == NULL)
        return false;
    errno = 0;
    bool good = true;
    if (realpath(file, target) != NULL) {
        if (realpath(name, parent) != NULL)
            good = path_list_add(list, parent);
        cut_name(target);
        good = good && path_list_add(list, target);
    }
    good = good && errno != ENOMEM;
    free(name);
    return good;
}

void path_list_clear(struct path_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct path_list){0};
}
