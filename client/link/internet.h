// SPDX-License-Identifier: MIT
// Addresses in the form of the sockets API, which POSIX and Winsock share: what system_posix.c and
// system_windows.c have in common.
#pragma once

#include "system.h"

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif

// As raim_system_resolve. On Windows, Winsock has been started.
uint32_t raim_internet_resolve(const char *host, uint16_t port, bool is_numeric,
                               struct raim_address *addresses, uint32_t capacity);

// False, without a port and bytes, for an address of another family than IPv4 and IPv6.
bool raim_internet_read(const struct sockaddr *from, struct raim_address *address);

// Returns the size of what it writes.
int raim_internet_write(const struct raim_address *address, struct sockaddr_storage *to);
