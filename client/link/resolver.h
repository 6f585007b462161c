// SPDX-License-Identifier: MIT
// Resolves the name of a host in a thread of its own, because getaddrinfo may block for seconds. An
// address needs no thread. Thread rule: a resolver belongs to one thread at a time.
#pragma once

#include "system.h"

#define RAIM_RESOLVER_ADDRESSES 6 // of a host, at most; further ones are not tried

enum raim_resolver_state {
    RAIM_RESOLVER_IDLE,
    RAIM_RESOLVER_RUNNING,
    RAIM_RESOLVER_FOUND,  // there are addresses
    RAIM_RESOLVER_FAILED, // the host has none
};

struct raim_resolver;

// Copies the host. NULL when memory runs out. Destroying waits for nothing, and takes NULL.
struct raim_resolver *raim_resolver_create(const char *host, uint16_t port);
void raim_resolver_destroy(struct raim_resolver *resolver);

// Begins to resolve, unless that is going on.
void raim_resolver_start(struct raim_resolver *resolver);

// Once after each start it returns FOUND, with addresses in the order in which to try them (both
// families in turns, RFC 8305), or FAILED; until then RUNNING, and afterwards IDLE.
enum raim_resolver_state raim_resolver_take(struct raim_resolver *resolver,
                                            struct raim_address addresses[RAIM_RESOLVER_ADDRESSES],
                                            uint32_t *count);
