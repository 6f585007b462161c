// SPDX-License-Identifier: MIT
// A client's side of a master server (dpmaster's doc/techinfo.txt, PROTOCOL): the request for the
// list of servers, and the reader of its answers, which are untrusted. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The name of the game in the lists of master servers.
#define RAIM_MASTER_GAME "Raim"

// The default port of a master server.
#define RAIM_MASTER_PORT 27950

// Entries of a list that are read; the rest of a datagram is ignored.
#define RAIM_MASTER_LIST_MAX 256

#define RAIM_MASTER_REQUEST_BYTES 64

struct raim_master_entry {
    bool is_ipv6;
    uint8_t address[16]; // in network order; of IPv4 the first 4 bytes
    uint16_t port;
};

struct raim_master_list {
    int count;
    bool is_last; // of the datagrams of this list
    struct raim_master_entry entries[RAIM_MASTER_LIST_MAX];
};

// Writes a request for all servers of this protocol version. Returns its size.
size_t raim_master_list_write_request(uint8_t request[RAIM_MASTER_REQUEST_BYTES]);

// Reads a getserversExtResponse, or a getserversResponse. Entries without a port are left out.
// False for any other datagram.
bool raim_master_list_read(const uint8_t *data, size_t size, struct raim_master_list *list);
