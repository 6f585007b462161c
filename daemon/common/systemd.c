// SPDX-License-Identifier: MIT
// Sends sd_notify(3) messages itself, because libsystemd's function blocks indefinitely when the
// service manager does not read.
#define _GNU_SOURCE
#include "systemd.h"

#include "log.h"
#include "monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

// How long the main thread waits at most for room in the manager's socket: for messages that must
// arrive, and for messages that are repeated soon.
enum { URGENT_MS = 500, PERIODIC_MS = 0 };

// Sends a state. Ignores failures: the manager acts on missing messages itself.
static void send_state(const char *state, int max_wait_ms)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    const size_t length = path != NULL ? strlen(path) : 0;
    if (length == 0 || length >= sizeof name.sun_path || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(name.sun_path, path, length);
    if (path[0] == '@')
        name.sun_path[0] = '\0'; // an abstract name
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    const int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (manager < 0)
        return;
    if (connect(manager, (const struct sockaddr *)&name, size) == 0 &&
        send(manager, state, strlen(state), MSG_NOSIGNAL) < 0 && errno == EAGAIN) {
        struct pollfd room = {.fd = manager, .events = POLLOUT};
        if (poll(&room, 1, max_wait_ms) == 1)
            send(manager, state, strlen(state), MSG_NOSIGNAL);
    }
    close(manager);
}

void systemd_notify_ready(void)
{
    send_state("READY=1", URGENT_MS);
}

void systemd_notify_reloading(void)
{
    // The manager matches the reload that it requested by this timestamp.
    char state[64];
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, monotonic_us());
    send_state(state, URGENT_MS);
}

void systemd_notify_stopping(void)
{
    send_state("STOPPING=1\nSTATUS=", URGENT_MS);
}

void systemd_notify_players(uint32_t players, uint32_t bots)
{
    char state[64];
    snprintf(state, sizeof state, "STATUS=%" PRIu32 " players, %" PRIu32 " bots", players, bots);
    send_state(state, PERIODIC_MS);
}

void systemd_notify_alive(void)
{
    send_state("WATCHDOG=1", PERIODIC_MS);
}

uint32_t systemd_watchdog_ms(void)
{
    uint64_t limit_us = 0;
    if (sd_watchdog_enabled(0, &limit_us) <= 0)
        return 0;
    const uint64_t half_ms = limit_us / 2000;
    if (limit_us > 0 && half_ms == 0)
        return 1;
    return half_ms > UINT32_MAX ? UINT32_MAX : (uint32_t)half_ms;
}

struct systemd_descriptors systemd_take_descriptors(void)
{
    const int count = sd_listen_fds(true);
    return (struct systemd_descriptors){.first = SD_LISTEN_FDS_START,
                                        .count = count > 0 ? count : 0};
}

bool unit_directories_find(const char *variable, char *path, size_t capacity)
{
    const char *all = getenv(variable);
    const int length = all != NULL ? (int)strcspn(all, ":") : 0;
    return length > 0 && snprintf(path, capacity, "%.*s", length, all) < (int)capacity;
}

static int socket_option(int descriptor, int option)
{
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

static bool is_udp(int descriptor)
{
    return socket_option(descriptor, SO_PROTOCOL) == IPPROTO_UDP;
}

void socket_activation_init(struct socket_activation *activation)
{
    *activation = (struct socket_activation){0};
    const struct systemd_descriptors given = systemd_take_descriptors();
    for (int i = 0; i < given.count; i++) {
        const int descriptor = given.first + i;
        union socket_address bound;
        if (activation->count == SOCKET_ACTIVATION_MAX || !is_udp(descriptor) ||
            !socket_address_of(descriptor, &bound) ||
            socket_address_port(&bound) == 0) { // not bound: it would never receive
            log_warning(
                "socket ignored descriptor=%d: want ListenDatagram=ADDRESS:PORT, %d at most",
                descriptor, SOCKET_ACTIVATION_MAX);
            continue;
        }
        activation->sockets[activation->count++] = (struct activated_socket){
            .descriptor = descriptor,
            .address = bound,
        };
    }
}

int socket_activation_find(struct socket_activation *activation, const char *address, uint16_t port)
{
    union socket_address wanted;
    if (!socket_address_parse(address, port, &wanted))
        return -1;
    for (int i = 0; i < activation->count; i++) {
        struct activated_socket *socket = &activation->sockets[i];
        if (!socket_address_equal(&socket->address, &wanted))
            continue;
        socket->used = true;
        const int copy = fcntl(socket->descriptor, F_DUPFD_CLOEXEC, 0);
        if (copy < 0)
            log_error("systemd's socket cannot be used address=%s port=%u: %s", address,
                      (unsigned)port, strerror(errno));
        return copy;
    }
    return -1;
}

void socket_activation_warn_unused(const struct socket_activation *activation)
{
    for (int i = 0; i < activation->count; i++) {
        const struct activated_socket *socket = &activation->sockets[i];
        char address[SOCKET_ADDRESS_BYTES];
        if (socket->used)
            continue;
        socket_address_print_host(&socket->address, address);
        log_warning("socket unused address=%s port=%u: no arena uses it", address,
                    (unsigned)socket_address_port(&socket->address));
    }
}
