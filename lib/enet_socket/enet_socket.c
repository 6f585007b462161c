// SPDX-License-Identifier: MIT
// Sends and receives one IPv4 datagram by one system call.
#define _POSIX_C_SOURCE 200809L
#include "enet_socket.h"

#include <arpa/inet.h>
#include <assert.h>
#include <enet/enet.h>
#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>

static_assert(sizeof(ENetBuffer) == sizeof(struct iovec) &&
                  offsetof(ENetBuffer, data) == offsetof(struct iovec, iov_base) &&
                  offsetof(ENetBuffer, dataLength) == offsetof(struct iovec, iov_len),
              "an ENetBuffer is an iovec");

int raim_enet_socket_send(int socket, const struct _ENetAddress *to, const struct iovec *parts,
                          size_t count)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct msghdr header = {.msg_iov = (struct iovec *)parts, .msg_iovlen = count};
    if (to != NULL) {
        address.sin_addr.s_addr = to->host;
        address.sin_port = htons(to->port);
        header.msg_name = &address;
        header.msg_namelen = sizeof address;
    }
    const ssize_t size = sendmsg(socket, &header, MSG_NOSIGNAL);
    if (size < 0)
        return errno == EWOULDBLOCK ? 0 : -1;
    return (int)size;
}

int raim_enet_socket_receive(int socket, struct _ENetAddress *from, const struct iovec *parts,
                             size_t count)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct msghdr header = {
        .msg_name = &address,
        .msg_namelen = sizeof address,
        .msg_iov = (struct iovec *)parts,
        .msg_iovlen = count,
    };
    const ssize_t size = recvmsg(socket, &header, MSG_NOSIGNAL);
    if (size < 0)
        return errno == EWOULDBLOCK ? 0 : -1;
    if ((header.msg_flags & MSG_TRUNC) != 0)
        return -1;
    if (from != NULL) {
        from->host = address.sin_addr.s_addr;
        from->port = ntohs(address.sin_port);
    }
    return (int)size;
}
