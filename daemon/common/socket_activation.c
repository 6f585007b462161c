// SPDX-License-Identifier: MIT
// Collects the passed descriptors that are bound UDP sockets.
#define _GNU_SOURCE
#include "socket_activation.h"

#include "log.h"
#include "sd_notify.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

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
    const struct sd_notify_descriptors given = sd_notify_take_descriptors();
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
            log_error("socket failed address=%s port=%u: %s", address, (unsigned)port,
                      strerror(errno));
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
