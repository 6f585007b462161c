// SPDX-License-Identifier: MIT
// Happy Eyeballs (RFC 8305) over UDP: a resolver finds the addresses of a host, and a race of
// sockets the one of them that answers first. Thread rule: a resolver or race belongs to one thread
// at a time.
#pragma once

#include "system.h"

// A resolver runs getaddrinfo in its own thread, because it may block for seconds. A host that is
// an address needs no thread.

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

// A race has UDP sockets to the addresses of one host. The first one that brings an answer wins,
// and the others are closed. The caller decides what an answer is, and when to try the next
// address.

// Initialized by raim_address_race_init.
struct raim_address_race {
    uint32_t count; // of addresses; 0: none is known yet
    struct raim_address addresses[RAIM_RESOLVER_ADDRESSES];
    uint32_t tried; // addresses tried so far, from the first on
    uint32_t open;  // sockets
    raim_socket sockets[RAIM_RESOLVER_ADDRESSES];
    uint32_t address_of[RAIM_RESOLVER_ADDRESSES]; // of each socket
    bool is_won;                                  // by the only socket left
};

void raim_address_race_init(struct raim_address_race *race);

// Sets the addresses for the next start. The last winner comes first, if it is among them: there
// the server knows the session.
void raim_address_race_set(struct raim_address_race *race, const struct raim_address *addresses,
                           uint32_t count);

// Closes all sockets; the next try begins with the first address.
void raim_address_race_reset(struct raim_address_race *race);

// Opens a socket to the next address that has a route, unless the race is won; begins anew where no
// address had one. False where none is left.
bool raim_address_race_try_next(struct raim_address_race *race);

// Sends a datagram by all sockets. Returns the bytes sent.
size_t raim_address_race_send(struct raim_address_race *race, const uint8_t *data, size_t size);

// Ends the race for the socket of this number; nothing where it is over.
void raim_address_race_win(struct raim_address_race *race, uint32_t socket);

// Goes on with the race: the winner keeps its socket, and the other addresses are tried again.
void raim_address_race_reopen(struct raim_address_race *race);
