// SPDX-License-Identifier: MIT
// Listening stream sockets: TCP for HTTP clients, and a Unix socket for the operator.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Creates a non-blocking socket that listens on an address (see socket_address.h) and TCP port (0:
// any).
// Returns the descriptor, or -1 with a reason of at most `capacity` bytes in `error`.
int listen_socket_tcp(const char *address, uint16_t port, char *error, size_t capacity);

// The TCP port of a socket of listen_socket_tcp.
uint16_t listen_socket_port(int descriptor);

// Creates a non-blocking Unix socket that listens at a path, which must fit struct sockaddr_un,
// with mode 0660. Replaces the socket of a killed process. Returns the descriptor, or -1 with a
// reason of at most `capacity` bytes in `error`.
int listen_socket_unix(const char *path, char *error, size_t capacity);
