// SPDX-License-Identifier: MIT
// Resolves host names in a thread of its own, so that a slow name server stops no frame. Numeric
// addresses are resolved at once. Thread rule: one thread calls these functions.
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

enum { HOST_LOOKUP_MOST = 4 }; // addresses of a name

struct host_lookup_result {
    int count;                                           // 0: no such host
    struct sockaddr_storage addresses[HOST_LOOKUP_MOST]; // IPv4 and IPv6; the port is 0
};

struct host_lookup;

// Begins to resolve a host. NULL when memory or threads run out.
struct host_lookup *host_lookup_begin(const char *host);

// Whether the result is there; false while it is not.
bool host_lookup_poll(struct host_lookup *lookup, struct host_lookup_result *result);

// Frees at once; a thread that is still waiting ends by itself. Takes NULL.
void host_lookup_drop(struct host_lookup *lookup);
