// SPDX-License-Identifier: MIT
// Finds arenas by UDP alone, as server_finder.h does, with the sockets of this machine.
#pragma once

#include "server_finder.h"

#include <stdbool.h>
#include <stdint.h>

enum { FINDER_ADDRESS_BYTES = 80 };

struct finder_row {
    char address[FINDER_ADDRESS_BYTES]; // ADDRESS:PORT
    bool answers;
    double ping_ms; // of the answer
    const struct raim_server_info *info;
};

struct finder;

// With `has_network` it looks for the arenas of the local network and of this machine. NULL if
// there are no sockets or no memory. Close takes NULL.
struct finder *finder_open(bool has_network);
void finder_close(struct finder *finder);

// Adds the arenas at HOST:PORT, or of HOST at the default port and as it answers itself. Resolves
// a name, which may take seconds. False if it is no address or unknown.
bool finder_add_host(struct finder *finder, const char *text);

// Adds the arenas that a master server at HOST[:PORT] lists. As finder_add_host.
bool finder_add_master(struct finder *finder, const char *text);

// Asks, for at most `timeout_ms`.
void finder_run(struct finder *finder, int timeout_ms);

// The rows in the order in which they were found, each valid until the next call; NULL for one that
// is not shown: it is silent, or another address of an arena that is.
int finder_count(const struct finder *finder);
const struct finder_row *finder_at(struct finder *finder, int index);

// Whether every master server answered.
bool finder_has_all_lists(const struct finder *finder);
