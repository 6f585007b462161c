// SPDX-License-Identifier: MIT
// What libenet calls: enet_time_get, enet_socket_receive and enet_socket_send. It calls them
// through the dynamic linker, so the definitions here replace its own for the whole process.
#define _GNU_SOURCE // what batch.h is made of
#include "monotonic.h"
#include "transport_internal.h"

#include <arpa/inet.h>
#include <assert.h>
#include <enet/enet.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static_assert(sizeof(ENetBuffer) == sizeof(struct iovec) &&
                  offsetof(ENetBuffer, data) == offsetof(struct iovec, iov_base) &&
                  offsetof(ENetBuffer, dataLength) == offsetof(struct iovec, iov_len),
              "an ENetBuffer is an iovec");

_Thread_local struct transport *transport_serving;

// While not NULL, the calls of this thread are counted, and nothing is sent or received.
static _Thread_local struct calls {
    uint32_t times, sends, receives;
} * counting;

int64_t transport_now_us(void)
{
    return (int64_t)monotonic_us();
}

// Milliseconds since the machine started. ENet takes 0 for "never".
enet_uint32 enet_time_get(void)
{
    if (counting != NULL)
        counting->times++;
    const enet_uint32 ms = (enet_uint32)(transport_now_us() / 1000);
    return ms != 0 ? ms : 1;
}

static int receive_plain(ENetSocket socket, ENetAddress *address, ENetBuffer *buffers, size_t count)
{
    struct sockaddr_in from = {.sin_family = AF_INET};
    struct msghdr header = {
        .msg_name = &from,
        .msg_namelen = sizeof from,
        .msg_iov = (struct iovec *)buffers,
        .msg_iovlen = count,
    };
    const ssize_t size = recvmsg(socket, &header, MSG_NOSIGNAL);
    if (size < 0)
        return errno == EWOULDBLOCK ? 0 : -1;
    if ((header.msg_flags & MSG_TRUNC) != 0)
        return -1;
    if (address != NULL) {
        address->host = from.sin_addr.s_addr;
        address->port = ntohs(from.sin_port);
    }
    return (int)size;
}

int enet_socket_receive(ENetSocket socket, ENetAddress *address, ENetBuffer *buffers, size_t count)
{
    if (counting != NULL) {
        counting->receives++;
        return 0;
    }
    if (transport_serving == NULL)
        return receive_plain(socket, address, buffers, count);
    assert(count == 1 && buffers[0].dataLength >= BATCH_BYTES);
    if (!transport_has_time(transport_serving))
        return -1;
    struct udp_address from;
    const int size = transport_take(transport_serving, &from, buffers[0].data);
    if (size > 0)
        *address = (ENetAddress){.host = htonl(from.address), .port = from.port};
    return size;
}

static int send_plain(ENetSocket socket, const ENetAddress *address, const ENetBuffer *buffers,
                      size_t count)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    struct msghdr header = {.msg_iov = (struct iovec *)buffers, .msg_iovlen = count};
    if (address != NULL) {
        to.sin_addr.s_addr = address->host;
        to.sin_port = htons(address->port);
        header.msg_name = &to;
        header.msg_namelen = sizeof to;
    }
    const ssize_t size = sendmsg(socket, &header, MSG_NOSIGNAL);
    if (size < 0)
        return errno == EWOULDBLOCK ? 0 : -1;
    return (int)size;
}

int enet_socket_send(ENetSocket socket, const ENetAddress *address, const ENetBuffer *buffers,
                     size_t count)
{
    if (counting != NULL) {
        counting->sends++;
        return 0;
    }
    if (transport_serving == NULL)
        return send_plain(socket, address, buffers, count);
    transport_note_sent(transport_serving, address);
    const struct udp_address to = {.address = ntohl(address->host), .port = address->port};
    return transport_put(transport_serving, to, (const struct iovec *)buffers, count);
}

// A host that connects to itself makes ENet ask for the time, send and receive.
bool transport_check_hooks(char *error, size_t capacity)
{
    static atomic_bool is_checked;
    if (atomic_load(&is_checked))
        return true;
    const ENetAddress loopback = {.host = htonl(INADDR_LOOPBACK)};
    ENetHost *host = enet_host_create(&loopback, 1, 1, 0, 0);
    if (host == NULL) {
        snprintf(error, capacity, "cannot try libenet: %s", strerror(errno));
        return false;
    }
    struct calls calls = {0};
    ENetEvent event;
    counting = &calls;
    const bool connects = enet_host_connect(host, &host->address, 1, 0) != NULL;
    enet_host_service(host, &event, 0);
    counting = NULL;
    enet_host_destroy(host);
    if (!connects) {
        snprintf(error, capacity, "cannot try libenet: %s", strerror(ENOMEM));
        return false;
    }
    const char *missing = calls.times == 0      ? "enet_time_get"
                          : calls.sends == 0    ? "enet_socket_send"
                          : calls.receives == 0 ? "enet_socket_receive"
                                                : NULL;
    if (missing == NULL) {
        atomic_store(&is_checked, true);
        return true;
    }
    snprintf(
        error, capacity,
        "cannot serve udp: libenet does not call this program's %s (is it linked with -Bsymbolic?),"
        " and no datagram would be checked",
        missing);
    return false;
}
