// SPDX-License-Identifier: MIT
// The machine's own address at which a datagram has arrived. A host of IPv6 has several, and a
// socket of all addresses would answer from the one that the kernel prefers, which need not be the
// one that the client sent to; the client or its router then drops the answer. So an answer names
// its source (IPV6_PKTINFO, RFC 3542), for IPv4 over the same socket, too. The address is kept with
// the client's own, in struct udp_address: there is no table that somebody could fill where a whole
// network is local.
#pragma once

#include "ip_address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// The control message of a datagram.
struct local_control {
    _Alignas(size_t) uint8_t bytes[64];
};

// Makes a socket of AF_INET6 report where datagrams have arrived.
bool local_address_enable(int socket);

// The address at which a datagram arrived; none (::) where it is unknown or a multicast one.
struct ip_address local_address_read(struct msghdr *received);

// Sets the source of a datagram to be sent. Of none, the kernel chooses.
void local_address_write(struct ip_address local, struct local_control *control,
                         struct msghdr *sent);
