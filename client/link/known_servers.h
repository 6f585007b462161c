// SPDX-License-Identifier: MIT
// The servers whose keys a program knows, in a file of a line "HOST:PORT KEY" each, as ssh has its
// known_hosts: the key of the first visit is kept, and a server that shows another one later is
// refused and reported. Warnings go to stderr. Thread rule: the main thread's alone.
#pragma once

#include "link.h"

#include <stddef.h>

// The user's file: $XDG_STATE_HOME/raim/known_servers, or ~/.local/state/raim/known_servers. False
// where neither variable is set.
bool raim_known_servers_path(char *path, size_t capacity);

// Whether servers of this host are worth remembering: 127.0.0.0/8 and localhost are not, because
// whoever tries servers there makes new ones all the time.
bool raim_known_servers_keeps(const char *host);

// What a program knows of one server. Zero-initialized it knows nothing and remembers nothing.
struct raim_known_server {
    const char *path; // borrowed; NULL: no file
    char name[300];   // HOST:PORT
    bool has_key;
    bool is_done; // nothing is left to remember or to warn of
    uint8_t key[RAIM_KEY_BYTES];
};

// Looks a server up in a file, which need not exist; NULL for no file. False, with a warning, where
// the file cannot be trusted to be read: then do not connect.
bool raim_known_server_find(struct raim_known_server *server, const char *path, const char *host,
                            uint16_t port);

// Looks at a link to it, now and then: remembers the key of its first handshake, and warns once of
// a server that shows another key.
void raim_known_server_look(struct raim_known_server *server, const struct raim_link *link);
