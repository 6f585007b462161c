// SPDX-License-Identifier: MIT
// What libenet's own enet_socket_send and enet_socket_receive do, for programs whose definitions of
// these replace them for the whole process and leave some calls as they were. Any thread.
#pragma once

#include <stddef.h>
#include <sys/uio.h>

struct _ENetAddress;

// Sends a datagram in parts; NULL is for the address that the socket is connected to. The bytes
// sent, 0 where the socket takes none now, -1 where it cannot be sent.
int raim_enet_socket_send(int socket, const struct _ENetAddress *to, const struct iovec *parts,
                          size_t count);

// Receives a datagram into parts, and from where unless that is NULL. Its bytes, 0 where none
// waits, -1 for an error or a datagram that is too large.
int raim_enet_socket_receive(int socket, struct _ENetAddress *from, const struct iovec *parts,
                             size_t count);
