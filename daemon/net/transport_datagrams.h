// SPDX-License-Identifier: MIT
// Datagrams between the batches and ENet.
#pragma once

#include "transport_internal.h"

// The transport whose host ENet is serving on this thread. Other hosts of the process, such as a
// test's clients, find NULL and get plain system calls.
extern _Thread_local struct transport *transport_serving;

// The next datagram that has come, of at most BATCH_BYTES, decrypted where it was encrypted; and
// from where. -1 when there is none.
int transport_next_datagram(struct transport *transport, struct udp_address *from, uint8_t *data);

// Queues a datagram of ENet's, encrypted where the peer has a session. The bytes queued; 0 where it
// is lost.
int transport_queue(struct transport *transport, struct udp_address to, const struct iovec *parts,
                    size_t count);

// Queues a datagram that is not ENet's, of at most RAIM_MAX_DATAGRAM_BYTES bytes, as it is.
void transport_queue_plain(struct transport *transport, struct udp_address to, const uint8_t *data,
                           size_t size);

// Sends what was queued.
void transport_send_batch(struct transport *transport);

// Counts one that is refused; 1, with which ENet's intercept ends it.
int transport_refuse(struct transport *transport, enum datagram_verdict reason);
