// SPDX-License-Identifier: MIT
// The UDP sockets that the service manager has bound for this process and passed to it: socket
// activation, sd_listen_fds(3). They stay open for good, so that an arena that goes and comes back
// finds its port with every datagram that arrived meanwhile.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Enough for every arena of a configuration.
#define SOCKET_ACTIVATION_MAX 256

struct socket_activation {
    int count;
    struct activated_socket {
        int descriptor;
        uint32_t address; // IPv4, network byte order
        uint16_t port;
        bool used; // socket_activation_find has handed it out
    } sockets[SOCKET_ACTIVATION_MAX];
};

// Takes what was passed. What is no UDP socket over IPv4 is logged and left alone. Call it once,
// before any thread starts.
void socket_activation_init(struct socket_activation *activation);

// A new descriptor, the caller's to close, of the socket that is bound to just this dotted address
// and port; -1 if there is none.
int socket_activation_find(struct socket_activation *activation, const char *address,
                           uint16_t port);

// Logs every socket that nobody has found, for it takes datagrams that nobody reads.
void socket_activation_warn_unused(const struct socket_activation *activation);
