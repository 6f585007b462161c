// SPDX-License-Identifier: MIT
// Server browser: the servers of the local network, of the lists of master servers, and those that
// the player knows, as far as the platform can ask them (server_finder.h). Nothing blocks.
#pragma once

#include "server_address.h"

#include <stdbool.h>
#include <stdint.h>

struct browser_row {
    char address[SERVER_ADDRESS_BYTES]; // HOST:PORT
    bool is_unknown;                    // the host's name cannot be resolved
    const struct raim_finder_row *found;
};

struct browser;

// NULL when memory or sockets run out. Close takes NULL.
struct browser *browser_open(void);
void browser_close(struct browser *browser);

// Adds a server. With `listed` it is shown even where it does not answer; so is one that was added
// before. Ignored beyond RAIM_FINDER_SERVERS.
void browser_add(struct browser *browser, const struct server_address *address, bool listed);

// Looks for servers at the usual ports on a host.
void browser_scan(struct browser *browser, const char *host);

// Looks for servers in the list of a master server. Ignored beyond RAIM_FINDER_MASTERS.
void browser_add_master(struct browser *browser, const struct server_address *master);

// Sends the queries that are due and reads the replies. Call it often: the ping is as exact as the
// calls are frequent. Times are seconds of any steady clock.
void browser_update(struct browser *browser, double now_s);

// The rows to show, in the order in which they were listed or found. A row keeps its index, so that
// a click hits what was seen. NULL beyond the last one.
int browser_count(const struct browser *browser);
const struct browser_row *browser_at(const struct browser *browser, int index);

// What to tell while there are no rows.
const char *browser_words(void);
