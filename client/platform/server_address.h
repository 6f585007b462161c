// SPDX-License-Identifier: MIT
// Address of a server as people type it: HOST, HOST:PORT, or [IPv6]:PORT. Pure.
#pragma once

#include "server_finder.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SERVER_ADDRESS_BYTES = 272,
    SERVER_HOST_BYTES = 256,
    SERVER_DEFAULT_PORT = RAIM_FINDER_PORT
};

struct server_address {
    char host[SERVER_HOST_BYTES]; // without brackets
    uint16_t port;
};

// Parses an address; without a port it gets SERVER_DEFAULT_PORT. Spaces around it are ignored.
// False for anything else.
bool server_address_read(const char *text, struct server_address *address);

// Writes HOST:PORT or [IPv6]:PORT.
void server_address_write(const struct server_address *address, char text[SERVER_ADDRESS_BYTES]);
