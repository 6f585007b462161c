// SPDX-License-Identifier: MIT
// Answers the discovery of servers in the local network (see discovery.h) with the ports of the
// arenas that listen beyond this machine, except rooms. Several daemons share the port. A sender
// beyond a router is not answered; others at a bounded rate, with no more bytes than they sent.
// Main thread only.
#pragma once

#include "arena_list.h"
#include "config.h"

#include <stdbool.h>
#include <stdint.h>

struct lan_discovery;

// Whether a configuration asks for it: the key, and an arena beyond this machine.
bool lan_discovery_is_wanted(const struct config *config);

// Opens the sockets; joins the group of IPv6 on every interface that is up. Returns NULL after
// logging a warning: the arenas can be joined without it. Call it before the sandbox is entered.
// Borrows `counts`, for the status.
struct lan_discovery *lan_discovery_open(struct arena_list_discovery *counts);

// Takes NULL.
void lan_discovery_close(struct lan_discovery *discovery);

// The descriptors to poll, of IPv4 and IPv6; -1: none, or none for now, because the sockets are not
// read while too many datagrams come.
enum { LAN_DISCOVERY_SOCKETS = 2 };
void lan_discovery_descriptors(const struct lan_discovery *discovery, uint64_t now_ms,
                               int descriptors[LAN_DISCOVERY_SOCKETS]);

// Milliseconds until the sockets are read again; -1: they are read.
int lan_discovery_timeout_ms(const struct lan_discovery *discovery, uint64_t now_ms);

// Answers what has come, of at most 16 datagrams.
void lan_discovery_run(struct lan_discovery *discovery, const struct arena_list *list,
                       uint64_t now_ms);
