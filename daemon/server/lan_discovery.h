// SPDX-License-Identifier: MIT
// Answers the discovery of servers in the local network (see discovery.h) with the ports of the
// arenas that listen beyond this machine, except arenas on demand. Several daemons share the port.
// A sender beyond a router is not answered; others at a bounded rate, with no more bytes than they
// sent. Main thread only.
#pragma once

#include "arena_list.h"
#include "config.h"
#include "metric.h"

extern const struct metric_table lan_discovery_metrics; // of a struct lan_discovery

struct lan_discovery;
struct loop;

// Opens the sockets, where the configuration asks for it and has an arena beyond this machine;
// joins the group of IPv6 on every interface that is up. Returns NULL otherwise, and after logging
// a warning: the arenas can be joined without it. Call it before the sandbox is entered. Borrows
// the list, whose arenas are told.
struct lan_discovery *lan_discovery_open(struct loop *loop, const struct config *config,
                                         const struct arena_list *list);

// Takes NULL.
void lan_discovery_close(struct lan_discovery *discovery);
