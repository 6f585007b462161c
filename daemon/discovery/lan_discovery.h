// SPDX-License-Identifier: MIT
// Answers the discovery of servers in the local network (see discovery.h) with the ports of the
// arenas that listen beyond this machine, except arenas on demand. Several daemons share the port.
// A sender beyond a router is not answered; others at a bounded rate, with no more bytes than they
// sent. Main thread only.
#pragma once

#include "config.h"
#include "metric.h"

#include <stdint.h>

extern const struct metric_table lan_discovery_metrics; // of a struct lan_discovery

struct lan_discovery;
struct loop;

// The arenas that run.
struct lan_arenas {
    const void *context;
    // The configuration and the port of the arena at this index; NULL after the last one.
    const struct config_arena *(*find)(const void *context, int index, uint16_t *port);
};

// Opens the sockets, where the configuration asks for it and has an arena beyond this machine;
// joins the group of IPv6 on every interface that is up. Returns NULL otherwise, and after logging
// a warning: the arenas can be joined without it. Call it before the sandbox is entered. Copies
// `arenas`.
struct lan_discovery *lan_discovery_open(struct loop *loop, const struct config *config,
                                         const struct lan_arenas *arenas);

// Takes NULL.
void lan_discovery_close(struct lan_discovery *discovery);
