// SPDX-License-Identifier: MIT
// The part of ENet that asks the operating system. Its socket is only the bell of
// lib/enet_carrier, which carries the datagrams.
#include "system.h"

#include <enet/enet.h>

static int rung; // bytes in the bell

int enet_initialize(void)
{
    return 0;
}

enet_uint32 enet_host_random_seed(void)
{
    return (enet_uint32)raim_system_now_us();
}

enet_uint32 enet_time_get(void)
{
    return (enet_uint32)(raim_system_now_us() / 1000);
}

ENetSocket enet_socket_create(ENetSocketType type)
{
    (void)type;
    return 1;
}

int enet_socket_bind(ENetSocket socket, const ENetAddress *address)
{
    (void)socket, (void)address;
    return 0;
}

int enet_socket_get_address(ENetSocket socket, ENetAddress *address)
{
    (void)socket;
    address->port = 1;
    return 0;
}

int enet_socket_set_option(ENetSocket socket, ENetSocketOption option, int value)
{
    (void)socket, (void)option, (void)value;
    return 0;
}

void enet_socket_destroy(ENetSocket socket)
{
    (void)socket;
    rung = 0;
}

int enet_socket_wait(ENetSocket socket, enet_uint32 *condition, enet_uint32 timeout)
{
    (void)socket, (void)timeout;
    *condition = ENET_SOCKET_WAIT_NONE;
    return 0;
}

// ENet's own datagrams are intercepted before they are sent (enet_carrier.h), so this is the bell.
int enet_socket_send(ENetSocket socket, const ENetAddress *address, const ENetBuffer *buffers,
                     size_t count)
{
    size_t size = 0;
    (void)socket, (void)address;
    for (size_t i = 0; i < count; i++)
        size += buffers[i].dataLength;
    rung += size == 1;
    return (int)size;
}

int enet_socket_receive(ENetSocket socket, ENetAddress *address, ENetBuffer *buffers, size_t count)
{
    (void)socket, (void)address, (void)buffers, (void)count;
    if (rung == 0)
        return 0;
    rung--;
    return 1;
}
