// SPDX-License-Identifier: MIT
// Finds servers by UDP: in the local network by discovery (discovery.h) and by queries to the usual
// ports, at addresses that are known, and in the lists of master servers (master_list.h); and asks
// each for its name, players and map (server_info.h). It ignores the answers of servers that it has
// not asked, and asks servers that others name a few times only. Sans-I/O: the caller sends the
// datagrams, passes those that come, and resolves names. Times are seconds of any steady clock.
#pragma once

#include "raim_address.h"
#include "server_info.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RAIM_FINDER_SERVERS = 1024,
    RAIM_FINDER_MASTERS = 16,
    RAIM_FINDER_HOSTS = 64,    // asked for their arenas by their addresses
    RAIM_FINDER_ADDRESSES = 6, // of a server or a master
    RAIM_FINDER_PORT = 7246,   // the first of the usual ports of arenas
    RAIM_FINDER_PORTS = 8,
    RAIM_FINDER_BYTES = 544 // of a datagram, at most
};

enum raim_finder_to {
    RAIM_FINDER_TO_ADDRESS,
    RAIM_FINDER_TO_BROADCAST, // to everybody in the networks of IPv4, at the address's port
    RAIM_FINDER_TO_MULTICAST, // to everybody on the links of IPv6: RAIM_DISCOVERY_GROUP and port
};

struct raim_finder_datagram {
    enum raim_finder_to to;
    struct raim_address address;
    size_t size;
    uint8_t bytes[RAIM_FINDER_BYTES];
};

struct raim_finder_def {
    uint64_t nonce; // random; an answer repeats it
    // True: asks each server until it answers, three times at most. False: asks for ever, so that
    // rows stay up to date.
    bool is_once;
    bool has_network; // searches the local network
    void (*send)(void *context, const struct raim_finder_datagram *datagram);
    void *context;
};

struct raim_finder;

// Copies the def. NULL when memory runs out. Destroy takes NULL.
struct raim_finder *raim_finder_create(const struct raim_finder_def *def);
void raim_finder_destroy(struct raim_finder *finder);

// Adds a server, or finds it where its first address is known. Without an address it waits for
// raim_finder_resolve. Returns its index; -1: there are too many.
int raim_finder_add(struct raim_finder *finder, const struct raim_address *addresses,
                    uint32_t count);

// Sets the addresses of a server that was added without one.
void raim_finder_resolve(struct raim_finder *finder, int index,
                         const struct raim_address *addresses, uint32_t count);

// Asks a server again and again even if a list named it and it is silent.
void raim_finder_keep(struct raim_finder *finder, int index);

// Asks a host for its arenas by discovery; its port does not matter. Ignored beyond
// RAIM_FINDER_HOSTS, as are masters beyond RAIM_FINDER_MASTERS.
void raim_finder_add_host(struct raim_finder *finder, const struct raim_address *host);
void raim_finder_add_master(struct raim_finder *finder, const struct raim_address *addresses,
                            uint32_t count);

// Where an address lies.
enum raim_finder_place {
    RAIM_FINDER_BEYOND,
    RAIM_FINDER_NEIGHBOUR, // another machine's in one of this machine's networks
    RAIM_FINDER_OWN,       // this machine's: its servers are found at the loopback address
};

// Sends the datagrams that are due. Call it often: the ping is as exact as the calls are frequent.
void raim_finder_update(struct raim_finder *finder, double now_s);

// Takes a datagram that has come.
void raim_finder_take(struct raim_finder *finder, const struct raim_address *from,
                      enum raim_finder_place place, const uint8_t *data, size_t size, double now_s);

// With `is_once`: whether an answer may still come.
bool raim_finder_is_waiting(const struct raim_finder *finder, double now_s);

// Whether every master has sent a list.
bool raim_finder_has_all_lists(const struct raim_finder *finder);

struct raim_finder_row {
    uint32_t address_count;
    struct raim_address addresses[RAIM_FINDER_ADDRESSES];
    uint32_t answering;           // index of the address that answered last
    bool answers;                 // whether it answered the recent queries
    uint32_t answer_count;        // ever
    double ping_ms;               // smallest of the recent ones
    uint64_t server;              // of a discovery: the same at all addresses; 0: unknown
    struct raim_server_info info; // of the last answer
};

// The rows in the order in which they were found. A row that has answered keeps its index; another
// one may become that of a server that is found later.
int raim_finder_count(const struct raim_finder *finder);
const struct raim_finder_row *raim_finder_at(const struct raim_finder *finder, int index);
