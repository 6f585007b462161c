// SPDX-License-Identifier: MIT
// The networks of this machine: what is sent to everybody there, and who can have received it.
// Servers are found by discovery (see discovery.h) and, for those that do not know it, by A2S_INFO
// queries to the usual ports.
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { LOCAL_NETWORK_MOST = 64 };

// The sockets of a browser: IPv4, IPv6; -1: none.
enum { LOCAL_NETWORK_SOCKETS = 2 };

// An address of this machine and its network.
struct local_network_address {
    bool is_ipv6;
    uint8_t own[16], mask[16];
};

// Begins with zeros.
struct local_network {
    int count;
    struct local_network_address addresses[LOCAL_NETWORK_MOST];
};

// Lists the networks of this machine anew.
void local_network_refresh(struct local_network *network);

// Prepares a socket of a family for what is sent to everybody.
void local_network_prepare(int socket, int family);

// Sends a datagram to a port of everybody in the IPv4 networks, or a discovery by multicast to
// everybody on the links of IPv6.
void local_network_broadcast(int socket, uint16_t port, const uint8_t *data, size_t size);
void local_network_multicast(int socket, const uint8_t *data, size_t size);

enum local_network_place {
    LOCAL_NETWORK_BEYOND,
    LOCAL_NETWORK_NEIGHBOUR, // another machine's in one of the networks
    LOCAL_NETWORK_OWN,       // this machine's
};

// Whose an address is.
enum local_network_place local_network_place_of(const struct local_network *network,
                                                const struct sockaddr_storage *from);
