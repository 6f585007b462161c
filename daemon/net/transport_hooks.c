// SPDX-License-Identifier: MIT
// Definitions of enet_time_get, enet_socket_receive and enet_socket_send. libenet calls them
// through the dynamic linker, so these definitions replace its own for the whole process.
#define _GNU_SOURCE // struct mmsghdr, for batch.h
#include "transport_hooks.h"

#include "enet_socket.h"
#include "monotonic.h"
#include "transport_datagrams.h"
#include "transport_guard.h"

#include <arpa/inet.h>
#include <assert.h>
#include <enet/enet.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

// While not NULL, this thread's calls are counted, and nothing is sent or received.
static _Thread_local struct calls {
    uint32_t times, sends, receives;
} * counting;

// Milliseconds since the machine started. ENet takes 0 for "never".
enet_uint32 enet_time_get(void)
{
    if (counting != NULL)
        counting->times++;
    const enet_uint32 ms = (enet_uint32)monotonic_ms();
    return ms != 0 ? ms : 1;
}

int enet_socket_receive(ENetSocket socket, ENetAddress *address, ENetBuffer *buffers, size_t count)
{
    if (counting != NULL) {
        counting->receives++;
        return 0;
    }
    if (transport_serving == NULL)
        return raim_enet_socket_receive(socket, address, (struct iovec *)buffers, count);
    assert(count == 1 && buffers[0].dataLength >= BATCH_BYTES);
    const struct received *datagram = enet_queue_take(&transport_serving->queue);
    if (datagram == NULL) {
        // ENet takes 0 for "no datagram" too. But -1 also ends the service before it sends
        // acknowledgements, so that they share datagrams with the tick's messages.
        return -1;
    }
    transport_serving->is_secure = datagram->is_secure;
    memcpy(buffers[0].data, datagram->data, datagram->size);
    transport_serving->from = datagram->from;
    *address = (ENetAddress){0}; // transport_intercept sets it
    return (int)datagram->size;
}

int enet_socket_send(ENetSocket socket, const ENetAddress *address, const ENetBuffer *buffers,
                     size_t count)
{
    if (counting != NULL) {
        counting->sends++;
        return 0;
    }
    if (transport_serving == NULL)
        return raim_enet_socket_send(socket, address, (const struct iovec *)buffers, count);
    const struct udp_address to = transport_record_sent(transport_serving, address);
    return transport_queue_parts(transport_serving, to, (const struct iovec *)buffers, count);
}

// Connects a host to itself, which makes ENet read the clock, send and receive.
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
