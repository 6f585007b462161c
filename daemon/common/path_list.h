// SPDX-License-Identifier: MIT
// A list of paths without duplicates.
#pragma once

#include <stdbool.h>

struct path_list {
    int count;
    char **items; // owned
};

// Adds a copy of the path unless the list has it. False when memory runs out.
bool path_list_add(struct path_list *list, const char *path);

// Adds the directory that contains the name of a file and, if the name is a symbolic link, the
// directory of the file itself. Adds none if the file does not exist. False when memory runs out.
bool path_list_add_directories(struct path_list *list, const char *file);

// Frees the paths and empties the list.
void path_list_clear(struct path_list *list);
