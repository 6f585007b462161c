// SPDX-License-Identifier: MIT
// Datagram path between the batches and ENet: decryption on receipt, encryption on sending.
#pragma once

#include "transport_internal.h"

// The transport whose ENet host is being serviced on this thread. NULL for other hosts of the
// process, such as a test's clients, which use plain system calls.
extern _Thread_local struct transport *transport_serving;

// Copies the next received datagram, of at most BATCH_BYTES, into `data`, decrypted if it was
// encrypted, and its sender into `from`. Returns its size; -1 when there is none.
int transport_next_datagram(struct transport *transport, struct udp_address *from, uint8_t *data);

// Queues a datagram of ENet, encrypted if the peer has a session. Returns the bytes queued; 0 if it
// is dropped.
int transport_queue(struct transport *transport, struct udp_address to, const struct iovec *parts,
                    size_t count);

// Queues an unencrypted datagram outside ENet, of at most RAIM_MAX_DATAGRAM_BYTES bytes.
void transport_queue_plain(struct transport *transport, struct udp_address to, const uint8_t *data,
                           size_t size);

// Sends the queued datagrams.
void transport_send_batch(struct transport *transport);

// Counts a refused datagram. Returns 1, by which ENet's intercept callback discards it.
int transport_refuse(struct transport *transport, enum datagram_verdict reason);
