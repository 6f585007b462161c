// SPDX-License-Identifier: MIT
// Finds arenas by UDP alone: in the local network, at given addresses and in the lists of master
// servers; and asks each for its name, players and map (A2S_INFO). What comes from addresses that
// were not asked is ignored.
#pragma once

#include "server_info.h"

#include <stdbool.h>
#include <stdint.h>

enum { FINDER_MOST = 1024, FINDER_ADDRESS_BYTES = 80 };

struct finder_row {
    char address[FINDER_ADDRESS_BYTES]; // ADDRESS:PORT
    bool answers;
    bool is_wanted;  // was given by its address: it is shown even if it is silent
    double ping_ms;  // of the answer
    uint64_t server; // of the local network: the same at all addresses of a server; 0: unknown
    uint16_t port;
    struct raim_server_info info;
};

struct finder;

// NULL if there are no sockets or no memory. Close takes NULL.
struct finder *finder_open(void);
void finder_close(struct finder *finder);

// Adds the arenas at HOST:PORT, or of HOST at the default port and as it answers itself. Resolves
// a name, which may take seconds. False if it is no address or unknown.
bool finder_add_host(struct finder *finder, const char *text);

// Adds the arenas that a master server at HOST[:PORT] lists. As finder_add_host.
bool finder_add_master(struct finder *finder, const char *text);

// Adds the arenas of the local network and of this machine.
void finder_add_network(struct finder *finder);

// Asks, for at most `timeout_ms`.
void finder_run(struct finder *finder, int timeout_ms);

// The rows in the order in which they were found; NULL for one that is not shown: it is silent, or
// another address of an arena that is.
int finder_count(const struct finder *finder);
const struct finder_row *finder_at(const struct finder *finder, int index);

// Whether every master server answered.
bool finder_has_all_lists(const struct finder *finder);
