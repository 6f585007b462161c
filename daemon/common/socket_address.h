// SPDX-License-Identifier: MIT
// IPv4 and IPv6 addresses of sockets: their text, and UDP sockets bound to them. An address text is
// dotted IPv4 ("192.0.2.1"), or IPv6 with or without brackets ("2001:db8::1", "[::1]"), which names
// an interface if it is link-local ("fe80::1%eth0"). "::" is every address of the machine, of both
// families.
#pragma once

#include "ip_address.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// Bytes of a text of an address, with an interface, and of one with its port; both with the closing
// NUL.
#define SOCKET_ADDRESS_BYTES 64
#define SOCKET_ADDRESS_PORT_BYTES (SOCKET_ADDRESS_BYTES + 8)

union socket_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

// Parses an address. IPv4-mapped addresses ("::ffff:192.0.2.1") are rejected: the IPv4 address says
// the same. The interface of a link-local address must exist.
bool socket_address_parse(const char *text, uint16_t port, union socket_address *address);

// The bytes of an address of its family.
socklen_t socket_address_size(const union socket_address *address);

uint16_t socket_address_port(const union socket_address *address);

// Whether two addresses are equal, with their ports.
bool socket_address_equal(const union socket_address *a, const union socket_address *b);

// Whether a socket at one address would receive what the other one is for: they are equal apart
// from their ports, or one of them is every address of its family, or of both ("::").
bool socket_address_overlaps(const union socket_address *a, const union socket_address *b);

// Whether an address is of 127.0.0.0/8 or ::1.
bool socket_address_is_loopback(const union socket_address *address);

// Prints an address without its port and without brackets.
void socket_address_print_host(const union socket_address *address,
                               char text[SOCKET_ADDRESS_BYTES]);

// Prints an address with its port: "192.0.2.1:7246" or "[::1]:7246".
void socket_address_print(const union socket_address *address,
                          char text[SOCKET_ADDRESS_PORT_BYTES]);

// The address that a socket is bound to. False with errno if it is of another family.
bool socket_address_of(int descriptor, union socket_address *address);

// Creates a non-blocking socket of a type (SOCK_DGRAM, SOCK_STREAM), bound to an address; the
// latter may take over the port of connections that are ending. "::" accepts both families. -1 with
// errno on failure. On a machine without IPv6, "::" becomes 0.0.0.0, which it is there.
int socket_address_bind(const union socket_address *address, int type);

// Parses an address and binds a socket of a type to it. Returns the descriptor, or -1 with a reason
// in `error`, which for a port that takes a privilege says how to give it.
int socket_address_open(const char *address, uint16_t port, int type, char *error, size_t capacity);

// The sender of a datagram or connection; all zero for another family.
struct udp_address socket_udp_read(const struct sockaddr *address);

// Writes the address for a socket of a family (AF_INET or AF_INET6) into memory that is zero apart
// from earlier calls for that family. Only an IPv4 address goes to a socket of AF_INET.
void socket_udp_write(struct udp_address from, int family, union socket_address *address);

// Creates a non-blocking socket that listens on an address and TCP port (0: any). Returns the
// descriptor, or -1 with a reason of at most `capacity` bytes in `error`.
int listen_socket_tcp(const char *address, uint16_t port, char *error, size_t capacity);

// The TCP port of a socket of listen_socket_tcp.
uint16_t listen_socket_port(int descriptor);

// Logs where a module listens: `before`, the address, in brackets if it is IPv6, a colon, the port,
// `behind`.
void listen_socket_log(const char *before, const char *address, uint16_t port, const char *behind);

// Creates a non-blocking Unix socket that listens at a path, which must fit struct sockaddr_un,
// with mode 0660. Replaces the socket of a killed process. Returns the descriptor, or -1 with a
// reason of at most `capacity` bytes in `error`.
int listen_socket_unix(const char *path, char *error, size_t capacity);
