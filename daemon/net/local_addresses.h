// SPDX-License-Identifier: MIT
// The machine's own addresses at which datagrams have arrived. A host of IPv6 has several, and a
// socket of all addresses would answer from the one that the kernel prefers, which need not be the
// one that the client sent to; the client or its router then drops the answer. So an answer names
// its source (IPV6_PKTINFO, RFC 3542), for IPv4 over the same socket, too.
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// More than a server has. For datagrams to further ones the kernel chooses the source.
#define LOCAL_ADDRESSES_MAX 32

// An address at which nothing has arrived for so long gives its place to another one. Temporary
// addresses (RFC 8981) come and go, and where a whole network is local, anybody fills the table.
#define LOCAL_ADDRESSES_IDLE_S 60

// Begins with zeros.
struct local_addresses {
    uint8_t count;
    int64_t swept_s; // when the idle ones were last looked for
    struct in6_addr list[LOCAL_ADDRESSES_MAX];
    bool is_used[LOCAL_ADDRESSES_MAX]; // since then
};

// The control message of a datagram.
struct local_control {
    _Alignas(size_t) uint8_t bytes[64];
};

// Makes a socket of AF_INET6 report where datagrams have arrived.
bool local_addresses_enable(int socket);

// The number, from 1 on, of the address at which a datagram arrived; 0: unknown, or the table is
// full.
uint8_t local_addresses_find(struct local_addresses *addresses, struct msghdr *received);

// Sets the source of a datagram to be sent from the address of this number. 0: the kernel chooses.
void local_addresses_write(const struct local_addresses *addresses, uint8_t number,
                           struct local_control *control, struct msghdr *sent);
