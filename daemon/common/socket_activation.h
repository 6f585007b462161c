// SPDX-License-Identifier: MIT
// The UDP sockets that the service manager has bound for this process and passed to it: socket
// activation, sd_listen_fds(3). They stay open for good, so that an arena that goes and comes back
// finds its port with every datagram that arrived meanwhile.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Enough for every arena of a configuration.
#define PASSED_MAX 256

struct passed {
    int count;
    struct passed_socket {
        int descriptor;
        uint32_t address; // IPv4, network byte order
        uint16_t port;
        bool used; // passed_find has handed it out
    } sockets[PASSED_MAX];
};

// Takes what was passed. What is no UDP socket over IPv4 is logged and left alone. Call it once,
// before any thread starts.
void passed_init(struct passed *passed);

// A new descriptor, the caller's to close, of the socket that is bound to just this dotted address
// and port; -1 if there is none.
int passed_find(struct passed *passed, const char *address, uint16_t port);

// Logs every socket that nobody has found, for it takes datagrams that nobody reads.
void passed_warn_unused(const struct passed *passed);
