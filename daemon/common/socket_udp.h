// SPDX-License-Identifier: MIT
// Conversion of the kernel's socket addresses to and from those that limits, bans and sessions use.
#pragma once

#include "socket_address.h"
#include "udp_address.h"

// The sender of a datagram or connection; all zero for another family.
struct udp_address socket_udp_read(const struct sockaddr *address);

// Writes the address for a socket of a family (AF_INET or AF_INET6) into memory that is zero apart
// from earlier calls for that family. Only an IPv4 address goes to a socket of AF_INET.
void socket_udp_write(struct udp_address from, int family, union socket_address *address);
