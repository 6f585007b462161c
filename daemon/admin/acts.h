// SPDX-License-Identifier: MIT
// What the operator may have done to the server itself, beyond what a letter to an arena can say:
// the server hands these to control.h. All are called by the main thread.
#pragma once

#include "reload_report.h"

#include <stddef.h>

struct server;

// Each returns false and writes the reason into `error` where nothing was done.
struct acts {
    struct server *server; // what they are called with

    // Starts the arena of that name, which its file has and which does not run.
    bool (*add_arena)(struct server *server, const char *name, char *error, size_t capacity);

    // Says goodbye to everybody in an arena and ends it; the others stay.
    bool (*remove_arena)(struct server *server, const char *name, char *error, size_t capacity);

    // Everybody in an arena rises anew, in a new round, on the map of this file. A relative path is
    // seen from the configuration's directory. A rotation goes on with the round after.
    bool (*change_map)(struct server *server, const char *name, const char *path, char *error,
                       size_t capacity);

    // Reads the configuration again and applies what can be. Adds every change or, where there is
    // any, every mistake; then it returns false, and nothing was done.
    bool (*reload)(struct server *server, struct reload_report *outcome);
};
