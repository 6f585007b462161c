// SPDX-License-Identifier: MIT
// Batched UDP I/O: recvmmsg and sendmmsg move up to BATCH_DATAGRAMS datagrams by one system call,
// while the caller handles them one at a time. A file that includes this header defines _GNU_SOURCE
// first.
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
    // Larger batches save no time: of sending 16 datagrams the system call itself takes less than
    // 1 %, and a batch of 16 stays in the processor's first cache from one use to the next.
    BATCH_DATAGRAMS = 16,
    // Bytes of a buffer: one more than the largest datagram, so that an oversized one is detected.
    BATCH_BYTES = RAIM_MAX_DATAGRAM_BYTES + RAIM_SECURE_BYTES + 1,
};

struct batch {
    size_t next;  // index of the first unread datagram, when receiving
    size_t count; // datagrams held
    struct mmsghdr headers[BATCH_DATAGRAMS];
    struct iovec parts[BATCH_DATAGRAMS];
    struct sockaddr_in addresses[BATCH_DATAGRAMS];
    uint8_t data[BATCH_DATAGRAMS][BATCH_BYTES];
};

// Result of sending a batch: datagrams and bytes sent, and datagrams that the kernel refused.
struct batch_sent {
    uint32_t packets, bytes, errors;
};

void batch_init(struct batch *batch);

// Receives the waiting datagrams without blocking. False when the kernel had fewer than a full
// batch.
bool batch_receive(struct batch *batch, int socket);

// The BATCH_BYTES into which the next datagram to send is written. The batch must not be full.
uint8_t *batch_buffer(struct batch *batch);

// Adds the datagram in batch_buffer, for an address and a port in network byte order.
void batch_add(struct batch *batch, uint32_t address, uint16_t port, size_t size);

// Sends and empties the batch without blocking. A datagram that the kernel refuses is counted as an
// error and skipped; the datagrams after it are still sent.
struct batch_sent batch_send(struct batch *batch, int socket);
