// SPDX-License-Identifier: MIT
// Unreliable messages of connected peers without ENet: read from and written to datagrams in ENet's
// format, with its sequence numbers, at a tenth of the instructions. Whatever ENet would not
// deliver or send at once is left to it.
#pragma once

#include "transport_internal.h"

struct _ENetPeer;

enum direct_result {
    DIRECT_LEFT, // to ENet
    DIRECT_REJECTED,
    DIRECT_MESSAGE,
};

// Judges a peer's datagram that carries one unreliable message and nothing else. DIRECT_LEFT unless
// ENet would deliver the message at once and no earlier datagram of the peer waits for ENet, so
// that a peer's messages stay in order.
enum direct_result transport_receive_direct(struct transport *transport,
                                            const struct _ENetPeer *peer,
                                            const struct datagram_message *message);

// Begins to load what a tick reads of every connected peer, which is rarely in the processor's
// cache, because it is used once per tick. Call it before the tick's datagrams are received.
void transport_prefetch_peers(const struct transport *transport);

// Whether ENet holds commands for a peer that it has not sent yet.
bool transport_has_commands(const struct _ENetPeer *peer);

// Queues an unreliable message, of at most transport_message_bytes, as its own datagram. False
// if ENet has something to send to the peer, or must send the message reliably.
bool transport_send_direct(struct transport *transport, struct _ENetPeer *peer, const uint8_t *data,
                           size_t size);
