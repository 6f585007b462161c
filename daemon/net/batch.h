// SPDX-License-Identifier: MIT
// Datagrams on their way between a UDP socket and whoever takes or gives them one at a time: one
// system call moves many. Whoever includes this defines _GNU_SOURCE first.
#pragma once

#include "secure_channel.h"
#include "wire_limits.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum {
    BATCH_DATAGRAMS = 64,
    // Of each: one more than a datagram may have tells that it has more.
    BATCH_BYTES = RAIM_MAX_DATAGRAM_BYTES + RAIM_SECURE_BYTES + 1,
};

struct batch {
    size_t next;  // the first that nobody has taken, when receiving
    size_t count; // datagrams held
    struct mmsghdr headers[BATCH_DATAGRAMS];
    struct iovec parts[BATCH_DATAGRAMS];
    struct sockaddr_in addresses[BATCH_DATAGRAMS];
    uint8_t data[BATCH_DATAGRAMS][BATCH_BYTES];
};

// What became of the datagrams of a batch: those that were sent, their bytes, and those that were
// not.
struct batch_sent {
    uint32_t packets, bytes, errors;
};

void batch_init(struct batch *batch);

// Receives as many as have come. False when the kernel has no more for now.
bool batch_receive(struct batch *batch, int socket);

// Copies a datagram in parts, for an address and a port in network byte order. False when it is too
// large. There must be room.
bool batch_add(struct batch *batch, uint32_t address, uint16_t port, const struct iovec *parts,
               size_t count);

// Sends them. The kernel stops at a datagram that it does not take, which is then as lost as one
// that the network dropped; those behind it still leave.
struct batch_sent batch_send(struct batch *batch, int socket);
