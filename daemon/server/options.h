// SPDX-License-Identifier: MIT
// The command line of raimd.
#pragma once

#include <stdbool.h>

// Exit statuses of sysexits.h, by which a service manager distinguishes failures.
enum {
    EXIT_USAGE = 64,  // a mistake in the command line
    EXIT_CONFIG = 78, // a mistake in the configuration or a map
};

enum options_action {
    OPTIONS_RUN,
    OPTIONS_CHECK_CONFIG,
    OPTIONS_PRINT_CONFIG,
    OPTIONS_CONFIG_REFERENCE,
    OPTIONS_DRAW_MAP,
    OPTIONS_VERIFY,
    OPTIONS_AUDIT,
};

struct options {
    enum options_action action;
    bool demo;
    bool json; // with OPTIONS_CHECK_CONFIG and OPTIONS_AUDIT only
    const char *config_path;
    const char *map_path, *drawing_path; // of OPTIONS_DRAW_MAP
    char **recordings;                   // of OPTIONS_VERIFY and OPTIONS_AUDIT; part of argv
    int recording_count;                 // 1 or more; of OPTIONS_AUDIT 1
};

// Ends the process after printing the help or the version, or with EXIT_USAGE after reporting a
// mistake.
struct options options_parse(int argc, char **argv);
