// SPDX-License-Identifier: MIT
// Carries the datagrams of an ENet host for its owner, who moves them in batches, encrypts them,
// and knows addresses that ENet does not. It needs no more of libenet than two callbacks that every
// ENet 1.3 offers, `intercept` and `checksum`, so any libenet will do, however it is linked.
//
// The socket of such a host is a bell, which only signals. It holds one meaningless byte for each
// datagram to read, which `intercept` replaces by the owner's datagram. `checksum` sees each
// datagram that ENet is about to send, and gives it to the owner; what ENet then sends to its
// socket is lost. The carrier removes the four bytes of the checksum from sent datagrams, and
// inserts them into those that ENet reads.
//
// On Linux the bell is a pair of sockets that belongs to this process alone, and whose buffer is
// full, so that sending into it fails at once, which ENet takes for a lost datagram. Elsewhere it
// is a socket of 127.0.0.1 that sends to itself. Another program may ring that one without
// effect, because the owner reads no datagram from it.
//
// Thread rule: that of the host.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct _ENetEvent;
struct _ENetHost;

// Bytes before a datagram that `receive` shows to ENet, which the carrier overwrites.
#define RAIM_ENET_CARRIER_GAP 4

struct raim_enet_carrier_def {
    void *context;
    // Sets the host's receivedData, receivedDataLength and receivedAddress to the next datagram for
    // ENet, and returns 0. Without a datagram returns what `intercept` shall: 1, or -1 to end the
    // service before ENet sends acknowledgements. The datagram must stay until the next call.
    int (*receive)(void *context, struct _ENetHost *host);
    // Whether `receive` has a datagram; NULL: it is to be called in any case. May be called before
    // the last datagram was read.
    bool (*waits)(void *context);
    // Takes a datagram that ENet sends, which may be overwritten.
    void (*send)(void *context, uint8_t *data, size_t size);
};

struct raim_enet_carrier;

// Gives a host that has no peer yet a bell for its socket, sets its callbacks, and its address to
// one that its peers may have. Uses the `data` of the host's first peer. Copies the definition and
// borrows the host. NULL, with errno, where there is no memory or no such socket; the host is good
// for nothing then but its end.
struct raim_enet_carrier *raim_enet_carrier_create(struct _ENetHost *host,
                                                   const struct raim_enet_carrier_def *def);

// Destroy the host first. NULL is fine.
void raim_enet_carrier_destroy(struct raim_enet_carrier *carrier);

// Takes the place of enet_host_service, without waiting.
int raim_enet_carrier_service(struct raim_enet_carrier *carrier, struct _ENetEvent *event);
