// SPDX-License-Identifier: MIT
// Server browser: asks servers for name, map, players and ping by A2S_INFO queries over UDP, and
// finds those of the local network by discovery (see local_network.h) and those that master servers
// list. It believes nobody whom it has not asked. Nothing blocks. Times are seconds of any steady
// clock.
#pragma once

#include "server_address.h"
#include "server_info.h"

#include <stdbool.h>
#include <stdint.h>

enum { BROWSER_MOST = 640, BROWSER_PORTS = 8, BROWSER_MASTERS = 8 };

struct browser_row {
    char address[SERVER_ADDRESS_BYTES]; // HOST:PORT
    bool answers;                       // to the recent queries
    bool is_unknown;                    // the host's name cannot be resolved
    double ping_ms;                     // smallest of the recent ones
    struct raim_server_info info;       // of the last answer
};

struct browser;

// NULL when memory or sockets run out. Close takes NULL.
struct browser *browser_open(void);
void browser_close(struct browser *browser);

// Adds a server. With `listed` it is shown even where it does not answer; so is one that was added
// before. Ignored beyond BROWSER_MOST.
void browser_add(struct browser *browser, const struct server_address *address, bool listed);

// Looks for servers at the BROWSER_PORTS ports from SERVER_DEFAULT_PORT on a host.
void browser_scan(struct browser *browser, const char *host);

// Looks for servers in the list of a master server. Ignored beyond BROWSER_MASTERS.
void browser_add_master(struct browser *browser, const struct server_address *master);

// Sends the queries that are due and reads the replies. Call it often: the ping is as exact as the
// calls are frequent.
void browser_update(struct browser *browser, double now_s);

// The rows to show, in the order in which they were listed or found. A row keeps its index, so that
// a click hits what was seen.
int browser_count(const struct browser *browser);
const struct browser_row *browser_at(const struct browser *browser, int index);

// The row of an address; NULL where it is not shown.
const struct browser_row *browser_find(const struct browser *browser, const char *address);
