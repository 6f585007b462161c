// SPDX-License-Identifier: MIT
// Keeps paths in an array that grows; the lists are short.
#define _GNU_SOURCE
#include "path_list.h"

#include "xalloc.h"

#include <limits.h>
#include <string.h>

void path_list_add(struct path_list *list, const char *path)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i], path) == 0)
            return;
    const size_t bytes = (size_t)(list->count + 1) * sizeof *list->items;
    list->items = memory_must(realloc(list->items, bytes));
    list->items[list->count++] = memory_must(strdup(path));
}

// Cuts an absolute path after its directory.
static void cut_name(char *path)
{
    char *slash = strrchr(path, '/');
    slash[slash == path] = '\0';
}

void path_list_add_directories(struct path_list *list, const char *file)
{
    char target[PATH_MAX], parent[PATH_MAX];
    const char *slash = strrchr(file, '/');
    char *name = slash == NULL ? strdup(".") : strndup(file, (size_t)(slash - file) + 1);
    memory_must(name);
    if (realpath(file, target) != NULL) {
        if (realpath(name, parent) != NULL)
            path_list_add(list, parent);
        cut_name(target);
        path_list_add(list, target);
    }
    free(name);
}

void path_list_clear(struct path_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct path_list){0};
}
