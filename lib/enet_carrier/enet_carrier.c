// SPDX-License-Identifier: MIT
// Rings a bell for each datagram that ENet is to read, and takes what it sends from its checksum.
#define _GNU_SOURCE // SOCK_CLOEXEC
#include "enet_carrier.h"

#include <assert.h>
#include <enet/enet.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

enum {
    GAP = RAIM_ENET_CARRIER_GAP,
    SENT_TIME = 0x80, // in a datagram's first byte: its header has a time
};

struct raim_enet_carrier {
    ENetHost *host;
    struct raim_enet_carrier_def def;
    ENetSocket bell; // that rings: the other end of the host's socket, or the same socket
    bool is_rung;    // and ENet has not heard it yet
};

static_assert(GAP == sizeof(enet_uint32), "ENet's checksum");

// Returns what enet_socket_send does. A pair of sockets ignores the address.
static int send_byte(const struct raim_enet_carrier *carrier, ENetSocket socket)
{
    char byte = 0;
    const ENetBuffer buffer = {.data = &byte, .dataLength = 1};
    return enet_socket_send(socket, &carrier->host->address, &buffer, 1);
}

// At most one bell is to be heard: the next one is rung when it was.
static void ring(struct raim_enet_carrier *carrier)
{
    const struct raim_enet_carrier_def *def = &carrier->def;
    if (!carrier->is_rung && (def->waits == NULL || def->waits(def->context)))
        carrier->is_rung = send_byte(carrier, carrier->bell) > 0;
}

static int intercept(ENetHost *host, ENetEvent *event)
{
    struct raim_enet_carrier *carrier = host->peers[0].data;
    (void)event;
    carrier->is_rung = false;
    const int verdict = carrier->def.receive(carrier->def.context, host);
    if (verdict != 0)
        return verdict;
    ring(carrier);
    uint8_t *data = host->receivedData - GAP;
    const size_t header = (data[GAP] & SENT_TIME) != 0 ? sizeof(ENetProtocolHeader)
                                                       : offsetof(ENetProtocolHeader, sentTime);
    if (host->receivedDataLength < header)
        return 1;
    memmove(data, data + GAP, header);
    memset(data + header, 0, GAP); // the checksum that the callback computes
    host->receivedData = data;
    host->receivedDataLength += GAP;
    return 0;
}

// ENet passes its own buffers, of a header and commands, for a datagram that it sends, and a single
// buffer for one that it reads.
static enet_uint32 checksum(const ENetBuffer *buffers, size_t count)
{
    uint8_t data[ENET_PROTOCOL_MAXIMUM_MTU];
    if (count == 1)
        return 0;
    const ENetHost *host = (const ENetHost *)((uintptr_t)buffers - offsetof(ENetHost, buffers));
    const struct raim_enet_carrier *carrier = host->peers[0].data;
    size_t size = buffers[0].dataLength - GAP;
    memcpy(data, buffers[0].data, size);
    for (size_t i = 1; i < count; i++) {
        assert(buffers[i].dataLength <= sizeof data - size);
        memcpy(data + size, buffers[i].data, buffers[i].dataLength);
        size += buffers[i].dataLength;
    }
    carrier->def.send(carrier->def.context, data, size);
    return 0;
}

#ifdef __linux__

// Fills the buffer of the pair in ENet's direction, which is not read.
static bool open_bell(struct raim_enet_carrier *carrier)
{
    int pair[2], sent;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    carrier->host->socket = pair[0];
    carrier->bell = pair[1];
    carrier->host->address = (ENetAddress){ENET_HOST_TO_NET_32(INADDR_LOOPBACK), 1};
    enet_socket_set_option(pair[0], ENET_SOCKOPT_SNDBUF, 1); // the kernel's least
    do
        sent = send_byte(carrier, pair[0]);
    while (sent > 0);
    return sent == 0;
}

#else

static bool open_bell(struct raim_enet_carrier *carrier)
{
    ENetHost *host = carrier->host;
    host->address = (ENetAddress){ENET_HOST_TO_NET_32(INADDR_LOOPBACK), 0};
    host->socket = enet_socket_create(ENET_SOCKET_TYPE_DATAGRAM);
    carrier->bell = host->socket;
#if !defined(_WIN32) && !defined(__wasi__)
    if (host->socket != ENET_SOCKET_NULL && fcntl(host->socket, F_SETFD, FD_CLOEXEC) != 0)
        return false;
#endif
    return host->socket != ENET_SOCKET_NULL &&
           enet_socket_bind(host->socket, &host->address) == 0 &&
           enet_socket_get_address(host->socket, &host->address) == 0 &&
           enet_socket_set_option(host->socket, ENET_SOCKOPT_NONBLOCK, 1) == 0;
}

#endif

struct raim_enet_carrier *raim_enet_carrier_create(ENetHost *host,
                                                   const struct raim_enet_carrier_def *def)
{
    enet_socket_destroy(host->socket);
    host->socket = ENET_SOCKET_NULL;
    struct raim_enet_carrier *carrier = malloc(sizeof *carrier);
    if (carrier == NULL)
        return NULL;
    *carrier = (struct raim_enet_carrier){.host = host, .def = *def, .bell = ENET_SOCKET_NULL};
    host->peers[0].data = carrier;
    host->intercept = intercept;
    host->checksum = checksum;
    if (open_bell(carrier))
        return carrier;
    raim_enet_carrier_destroy(carrier);
    return NULL;
}

void raim_enet_carrier_destroy(struct raim_enet_carrier *carrier)
{
#ifdef __linux__
    if (carrier != NULL && carrier->bell != ENET_SOCKET_NULL)
        close(carrier->bell);
#endif
    free(carrier);
}

int raim_enet_carrier_service(struct raim_enet_carrier *carrier, ENetEvent *event)
{
    ring(carrier);
    const int status = enet_host_service(carrier->host, event, 0);
    // ENet has emptied its socket. A bell that was lost is rung again.
    if (status == 0)
        carrier->is_rung = false;
    return status;
}
