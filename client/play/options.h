// SPDX-License-Identifier: MIT
// The command line of raim.
#pragma once

#include "link.h"
#include "server_address.h"

#include <stdbool.h>
#include <stdint.h>

enum { OPTIONS_MASTERS = 8 };

struct options {
    char host[RAIM_LINK_HOST_BYTES];
    uint16_t port;          // 0: choose on the home screen
    const char *matchmaker; // URL; NULL: play on `host`
    int master_count;       // servers whose lists the home screen shows
    struct server_address masters[OPTIONS_MASTERS];
    const char *name;                        // NULL: the one chosen on the home screen
    const char *access;                      // access token as typed, already checked; NULL: none
    char password[RAIM_LINK_PASSWORD_BYTES]; // of the arena; "": none
    bool has_admin_key;
    uint8_t admin_key[RAIM_KEY_BYTES];
    const char *known_servers; // file; NULL: the user's own
    bool require_encryption;
    int width, height; // of the window, pixels
    bool headless;
    int frames;             // number of frames to draw before the end; 0: until the window closes
    int frame_cap_hz;       // 0: the display's rate
    const char *screenshot; // file for the last frame; NULL: none
    const char *recording;  // file to play, or with `video` to render; NULL: none
    const char *follow;     // name of a player of the recording; NULL: chosen by the game
    const char *video;      // file to render into; NULL: none
    bool is_rendered;       // --render was given
    bool has_size;          // --size was given
    double from_s, to_s;    // the part of the recording to render; `to_s` below 0: to its end
};

// Reads the command line. Ends the program after --help, --usage and --version with status 0, and
// after printing a mistake to stderr with status 64.
struct options options_parse(int argc, char **argv);
