// SPDX-License-Identifier: MIT
// Socket activation (sd_listen_fds(3)): the UDP sockets that the service manager has bound and
// passed to this process. They stay open until the process ends, so that an arena that is removed
// and added again finds its port, with the datagrams that arrived in between.
#pragma once

#include "socket_address.h"

#include <stdbool.h>
#include <stdint.h>

// Enough for every arena of a configuration.
#define SOCKET_ACTIVATION_MAX 256

struct socket_activation {
    int count;
    struct activated_socket {
        int descriptor;
        union socket_address address;
        bool used; // socket_activation_find has returned it
    } sockets[SOCKET_ACTIVATION_MAX];
};

// Takes the passed sockets. Logs and ignores descriptors that are not bound UDP sockets. Call
// it once, before any thread starts.
void socket_activation_init(struct socket_activation *activation);

// Duplicates the socket that is bound to exactly this address and port. The caller closes
// the new descriptor. -1 if there is none.
int socket_activation_find(struct socket_activation *activation, const char *address,
                           uint16_t port);

// Logs every socket that socket_activation_find has not returned: its datagrams are never read.
void socket_activation_warn_unused(const struct socket_activation *activation);
