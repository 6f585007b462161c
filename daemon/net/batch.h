// SPDX-License-Identifier: MIT
// Batched UDP I/O: recvmmsg and sendmmsg move up to BATCH_DATAGRAMS datagrams by one system call,
// while the caller handles them one at a time. A file that includes this header defines _GNU_SOURCE
// first.
#pragma once

#include "ip_address.h"
#include "secure_channel.h"
#include "socket_address.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

// Local addresses: the machine's own address at which a datagram has arrived. A host of IPv6 has
// several. A socket of all addresses would answer from the one that the kernel prefers; if the
// client sent to another one, it or its router drops the answer. So an answer names its source
// (IPV6_PKTINFO, RFC 3542), also for IPv4 over the same socket. struct udp_address holds the local
// address with the client's, because a table could be filled where a whole network is local.

// The control message of a datagram.
struct local_control {
    _Alignas(size_t) uint8_t bytes[64];
};

// Makes a socket of AF_INET6 report where datagrams have arrived.
bool local_address_enable(int socket);

// The address at which a datagram arrived; none (::) if it is unknown or a multicast address.
struct ip_address local_address_read(struct msghdr *received);

// Sets the source of a datagram to be sent. For none (::) the kernel chooses it.
void local_address_write(struct ip_address local, struct local_control *control,
                         struct msghdr *sent);

enum {
    // Larger batches save no time: the system call itself takes less than 1 % of the time of
    // sending
    // 16 datagrams, and a batch of 16 stays in the processor's first cache between two uses.
    BATCH_DATAGRAMS = 16,
    // Bytes of a buffer. It is larger than any valid datagram, so that an oversized one is
    // detected.
    BATCH_BYTES = 1500,
};

struct batch {
    int family;      // of the socket: AF_INET, or AF_INET6, which may carry both
    bool has_locals; // the socket has several addresses
    size_t next;     // index of the first unread datagram, when receiving
    size_t count;    // datagrams held
    struct mmsghdr headers[BATCH_DATAGRAMS];
    struct iovec parts[BATCH_DATAGRAMS];
    union socket_address addresses[BATCH_DATAGRAMS];
    struct local_control controls[BATCH_DATAGRAMS];
    uint8_t data[BATCH_DATAGRAMS][BATCH_BYTES];
};

// Result of sending a batch: datagrams and bytes sent, and datagrams that the kernel rejected.
struct batch_sent {
    uint32_t packets, bytes, errors;
};

// `has_locals`: the socket reports where datagrams arrive, see local_address_enable.
void batch_init(struct batch *batch, int family, bool has_locals);

// Receives the waiting datagrams without blocking. False when the kernel had fewer than a full
// batch.
bool batch_receive(struct batch *batch, int socket);

// The sender of a received datagram.
struct udp_address batch_sender(struct batch *batch, size_t datagram);

// The BATCH_BYTES into which the next datagram to send is written. The batch must not be full.
uint8_t *batch_buffer(struct batch *batch);

// Adds the datagram in batch_buffer.
void batch_add(struct batch *batch, struct udp_address to, size_t size);

// Sends and empties the batch without blocking. A datagram that the kernel rejects is counted as an
// error and skipped; the datagrams after it are still sent.
struct batch_sent batch_send(struct batch *batch, int socket);
