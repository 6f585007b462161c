// SPDX-License-Identifier: MIT
// Moves datagrams between the batches and ENet: decrypts received ones, encrypts sent ones.
#pragma once

#include "transport_internal.h"

// Takes the next datagram of the receiving batch, which must have one, and decrypts it in place if
// it was encrypted. Returns DATAGRAM_OK, or why the datagram is rejected. Its bytes are valid until
// the batch is received again.
enum datagram_verdict transport_next_datagram(struct transport *transport,
                                              struct received *datagram);

// Returns the memory for the next datagram to a peer, of at most RAIM_MAX_DATAGRAM_BYTES.
uint8_t *transport_buffer(struct transport *transport);

// Queues the datagram in transport_buffer, encrypted if the peer has a session.
void transport_queue(struct transport *transport, struct udp_address to, size_t size);

// Queues an unencrypted datagram outside ENet, of at most RAIM_MAX_DATAGRAM_BYTES bytes.
void transport_queue_plain(struct transport *transport, struct udp_address to, const uint8_t *data,
                           size_t size);

// Sends the queued datagrams.
void transport_send_batch(struct transport *transport);

// Counts a rejected datagram. Returns 1, the value by which ENet's intercept callback discards it.
int transport_reject(struct transport *transport, enum datagram_verdict reason);
