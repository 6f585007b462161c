// SPDX-License-Identifier: MIT
// Reads and writes unreliable messages of connected peers without ENet, as datagrams in ENet's
// format and with its sequence numbers, which takes a tenth of the instructions. Messages that ENet
// would not deliver or send at once are left to it.
#pragma once

#include "transport_internal.h"

struct _ENetPeer;

enum direct_result {
    DIRECT_LEFT, // the datagram is left to ENet
    DIRECT_REJECTED,
    DIRECT_MESSAGE,
};

// Judges a peer's datagram that carries only one unreliable message. Returns DIRECT_LEFT if ENet
// would not deliver the message at once, or if an earlier datagram of the peer waits for ENet, so
// that a peer's messages stay in order.
enum direct_result transport_receive_direct(struct transport *transport,
                                            const struct _ENetPeer *peer,
                                            const struct datagram_message *message);

// Prefetches what a tick reads of every connected peer. It is rarely in the processor's cache,
// because it is used once per tick. Call the function before the tick's datagrams are received.
void transport_prefetch_peers(const struct transport *transport);

// Whether ENet holds unsent commands for a peer.
bool transport_has_commands(const struct _ENetPeer *peer);

// Queues an unreliable message, of at most transport_message_bytes, as its own datagram. False
// if ENet has something to send to the peer, or must send the message reliably.
bool transport_send_direct(struct transport *transport, struct _ENetPeer *peer, const uint8_t *data,
                           size_t size);
