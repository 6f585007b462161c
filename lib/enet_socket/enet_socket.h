// SPDX-License-Identifier: MIT
// Reimplementation of libenet's enet_socket_send and enet_socket_receive. A program that replaces
// these functions for the whole process uses it for the sockets that need no special treatment. Any
// thread.
#pragma once

#include <stddef.h>
#include <sys/uio.h>

struct _ENetAddress;

// Sends a datagram in parts to an address; NULL: the address that the socket is connected to.
// Returns the bytes sent, 0 if the socket would block, -1 on error.
int raim_enet_socket_send(int socket, const struct _ENetAddress *to, const struct iovec *parts,
                          size_t count);

// Receives a datagram into parts, and its sender into `from` unless that is NULL. Returns its
// bytes, 0 if none waits, -1 on error or if the datagram does not fit.
int raim_enet_socket_receive(int socket, struct _ENetAddress *from, const struct iovec *parts,
                             size_t count);
