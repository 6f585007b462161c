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
};

struct options {
    enum options_action action;
    bool demo;
    bool json; // with OPTIONS_CHECK_CONFIG only
    const char *config_path;
};

// Ends the process after printing the help or the version, or with EXIT_USAGE after reporting a
// mistake.
struct options options_parse(int argc, char **argv);
