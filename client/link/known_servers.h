// SPDX-License-Identifier: MIT
// Known servers (trust on first use, like ssh's known_hosts): a file with a line per server, such
// as "HOST:PORT KEY" or "[IPV6]:PORT KEY". The key of the first connection is stored. If a server
// later shows another key, this module tells its caller (link.c, connector.c), which refuses the
// server. Warnings go to stderr. Thread rule: one thread at a time.
#pragma once

#include "link.h"

#include <stddef.h>

// The user's file: $XDG_STATE_HOME/raim/known_servers, or ~/.local/state/raim/known_servers. False
// where neither variable is set.
bool raim_known_servers_path(char *path, size_t capacity);

// Whether keys of servers on this host are stored. Those of 127.0.0.0/8, ::1 and localhost are not:
// there people start test servers, each with a new key.
bool raim_known_servers_keeps(const char *host);

// One server of the file. All zero: the key is unknown and will not be stored.
struct raim_known_server {
    const char *path; // borrowed; NULL: no file
    char name[300];   // HOST:PORT or [IPV6]:PORT
    bool has_key;
    bool is_done; // the key is stored, or the warning is printed
    uint8_t key[RAIM_KEY_BYTES];
};

// Looks up a server in a file, which need not exist; NULL: no file. False after a warning where the
// file cannot be read or the server's line is damaged: then do not connect.
bool raim_known_server_find(struct raim_known_server *server, const char *path, const char *host,
                            uint16_t port);

// Call it while a link is open, about once per tick: stores the key of the first handshake, and
// warns once when the server shows another key than the stored one. A link of NULL is ignored.
void raim_known_server_update(struct raim_known_server *server, const struct raim_link *link);
