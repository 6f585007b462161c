// SPDX-License-Identifier: MIT
// libenet calls the two functions at the end of this file through the dynamic linker.
#define _POSIX_C_SOURCE 200809L
#include "enet_direct.h"

#include "enet_client.h"

#include <enet/enet.h>
#include <string.h>

// The connection that ENet is called for on this thread.
static _Thread_local struct raim_enet_client *serving;

static void serve(struct raim_enet_client *connection)
{
    serving = connection;
}

void enet_direct_start(void)
{
    raim_enet_client_set_direct(serve);
}

int enet_socket_send(ENetSocket socket, const ENetAddress *address, const ENetBuffer *buffers,
                     size_t count)
{
    uint8_t data[RAIM_ENET_CLIENT_DATAGRAM_BYTES];
    size_t size = 0;
    (void)socket, (void)address;
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].dataLength > sizeof data - size)
            return 0; // no server takes a datagram that is so large
        memcpy(data + size, buffers[i].data, buffers[i].dataLength);
        size += buffers[i].dataLength;
    }
    raim_enet_client_carry_out(serving, data, size);
    return (int)size;
}

int enet_socket_receive(ENetSocket socket, ENetAddress *address, ENetBuffer *buffers, size_t count)
{
    uint8_t data[RAIM_ENET_CLIENT_DATAGRAM_BYTES];
    (void)socket, (void)count;
    const size_t size = raim_enet_client_carry_in(serving, data);
    if (size > buffers[0].dataLength)
        return 0;
    memcpy(buffers[0].data, data, size);
    raim_enet_client_direct_address(&address->host, &address->port);
    return (int)size;
}
