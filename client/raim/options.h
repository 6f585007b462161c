// SPDX-License-Identifier: MIT
// The command line of raim.
#pragma once

#include "game.h"

#include <stdbool.h>

struct options {
    struct game_def game;
    int width, height; // of the window, pixels
    bool headless;
    int frames;             // number of frames to draw before the end; 0: until the window closes
    int frame_cap_hz;       // 0: the display's rate
    const char *screenshot; // file for the last frame; NULL: none
    const char *video;      // file to render the recording into; NULL: none
    bool is_rendered;       // --render was given
    bool has_size;          // --size was given
    double from_s, to_s;    // the part of the recording to render; `to_s` below 0: to its end
};

// Reads the command line. Ends the program after --help, --usage and --version with status 0, and
// after printing a mistake to stderr with status 64.
struct options options_parse(int argc, char **argv);
