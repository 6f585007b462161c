// SPDX-License-Identifier: MIT
// What raim-bots tells at the end: a table for people or JSON for programs.
#pragma once

#include "opponent.h"

struct report_source {
    const struct opponent *players;
    int player_count;
    char *const *servers; // HOST:PORT
    int server_count;
    double seconds; // asked for
};

// Clients that were let in; those refused or never answered are the others.
int report_connected(const struct report_source *source);

// Both write to standard output.
void report_table(const struct report_source *source);
void report_json(const struct report_source *source);
