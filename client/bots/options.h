// SPDX-License-Identifier: MIT
// The command line of raim-bots.
#pragma once

#include "link.h"
#include "regions.h"
#include "shaper.h"

#include <stdbool.h>
#include <stdint.h>

enum { OPTIONS_MAX_CLIENTS = 4000, OPTIONS_SERVERS = 1024 };

struct options {
    int clients;    // 1 to OPTIONS_MAX_CLIENTS
    double seconds; // INFINITY: until interrupted
    uint64_t seed;
    bool json;
    bool require_all; // succeed only where every client plays to the end
    bool mouse;       // move the aims every tick
    int poll_hz;      // 0: what the network wants
    bool shaped;      // `network` is to be simulated
    struct shaper_def network;
    int access_count;
    const char *access[OPTIONS_MAX_CLIENTS]; // access token of client i, as typed
    char password[RAIM_LINK_PASSWORD_BYTES]; // of the arenas; "": none
    bool require_encryption;
    bool small_datagrams;
    const char *known_servers;            // file; NULL: none
    const char *matchmaker;               // URL; NULL: plays on `servers`
    struct regions regions;               // of the matchmaker, measured after options_parse
    int server_count;                     // 0 with a matchmaker
    const char *servers[OPTIONS_SERVERS]; // HOST:PORT each, checked
};

// Reads the command line. Ends the program after --help, --usage and --version with status 0, and
// after printing a mistake to stderr with status 64.
void options_parse(struct options *options, int argc, char **argv);

// Splits HOST:PORT or [IPV6]:PORT; false where the text is something else.
bool options_read_server(const char *text, char host[RAIM_LINK_HOST_BYTES], uint16_t *port);
