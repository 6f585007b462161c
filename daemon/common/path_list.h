// SPDX-License-Identifier: MIT
// A list of paths, each of which is in it once.
#pragma once

#include <stdbool.h>

struct path_list {
    int count;
    char **items; // owned
};

// Adds a copy of the path unless the list has it. False when memory runs out.
bool path_list_add(struct path_list *list, const char *path);

// Adds the directories in which a file is found under this path: that of its name and, behind
// symbolic links, that of the file itself. Adds none for a file that does not exist.
// False when memory runs out.
bool path_list_add_directories(struct path_list *list, const char *file);

// Frees what the list holds and empties it.
void path_list_clear(struct path_list *list);
