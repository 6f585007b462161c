// SPDX-License-Identifier: MIT
// The result of raim-bots: a table for people or JSON for programs.
#pragma once

#include "opponent.h"

struct report_source {
    const struct opponent *players;
    int player_count;
    char *const *servers; // HOST:PORT
    int server_count;     // 0: rooms of a matchmaker
    double seconds;       // as requested
};

// The number of clients that entered an arena. All others were refused or got no answer.
int report_connected(const struct report_source *source);

// Both write to standard output.
void report_table(const struct report_source *source);
void report_json(const struct report_source *source);
