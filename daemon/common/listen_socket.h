// SPDX-License-Identifier: MIT
// Sockets of streams that listen: over TCP for the public, at a path for the operator.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Listens on a dotted IPv4 address and TCP port (0: any), without blocking. Returns the descriptor,
// or -1 with a reason in `error`.
int listen_socket_tcp(const char *address, uint16_t port, char *error, size_t capacity);

// The port that such a socket got.
uint16_t listen_socket_port(int descriptor);

// Listens at a path that fits struct sockaddr_un, for the owner and the group; replaces a socket
// that a killed program has left there. Returns the descriptor, or -1 with a reason in `error`.
int listen_socket_unix(const char *path, char *error, size_t capacity);
