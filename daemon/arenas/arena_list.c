// SPDX-License-Identifier: MIT
// Finds an arena among those that run.
#include "arena_list.h"

#include <string.h>

int arena_list_find(const struct arena_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(arena_config(list->arenas[i])->name, name) == 0)
            return i;
    return -1;
}

int arena_list_index(const struct arena_list *list, const struct arena *arena)
{
    for (int i = 0; i < list->count; i++)
        if (list->arenas[i] == arena)
            return i;
    return -1;
}
