// SPDX-License-Identifier: MIT
// The command line of raim.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum options_action {
    OPTIONS_PLAY,
    OPTIONS_TOLD,  // what was asked for has been printed
    OPTIONS_WRONG, // what is wrong has been printed
};

struct options {
    enum options_action action;
    char host[256];
    uint16_t port; // 0: choose from the host's arenas
    const char *name;
    const char *access;        // access token as it was typed, which reads well; NULL: none
    const char *known_servers; // file; NULL: the user's
    bool require_encryption;
    int width, height; // of the window
    bool headless;
    int frames;             // to draw before the end; 0: until it is closed
    const char *screenshot; // file of the last frame; NULL: none
};

// Prints usage to stdout where it is asked for, and mistakes to stderr.
struct options options_parse(int argc, char **argv);
