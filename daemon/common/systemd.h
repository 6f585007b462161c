// SPDX-License-Identifier: MIT
// Service manager protocol (sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3)): state
// messages, the watchdog and passed descriptors. Without systemd every call does nothing.
#pragma once

#include "socket_address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void systemd_notify_ready(void);
void systemd_notify_reloading(void); // until the next systemd_notify_ready
void systemd_notify_stopping(void);
void systemd_notify_players(uint32_t players, uint32_t bots); // STATUS=
void systemd_notify_alive(void);                              // WATCHDOG=1

// The interval for systemd_notify_alive in milliseconds, half the watchdog's limit; 0: no watchdog.
uint32_t systemd_watchdog_ms(void);

// The descriptors that the service manager passed to this process: `count` of them, from `first`
// on. Taking them sets close-on-exec and clears the environment variables, so a second call finds
// none.
struct systemd_descriptors {
    int first, count;
};
struct systemd_descriptors systemd_take_descriptors(void);

// Directories that systemd creates for a unit (systemd.exec(5), RuntimeDirectory= and the like).
// Copies the first of a colon-separated environment variable, such as RUNTIME_DIRECTORY,
// into `path`. False if there is none, or if it does not fit `capacity` bytes.
bool unit_directories_find(const char *variable, char *path, size_t capacity);

// Socket activation (sd_listen_fds(3)): the UDP sockets that the service manager has bound and
// passed to this process. They stay open until the process ends, so that an arena that is removed
// and added again finds its port, with the datagrams that arrived in between.

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
