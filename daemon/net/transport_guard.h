// SPDX-License-Identifier: MIT
// What bounds ENet's peers: what they send, how long a tick reads it, and how long they stay.
#pragma once

#include "transport_internal.h"

struct _ENetAddress;
struct _ENetPeer;

// An address of ENet's as the rest of the daemon writes it.
struct udp_address transport_udp_address(const struct _ENetAddress *address);

// Begins the time of a tick, and ends the connections that were to end by now.
void transport_begin_receive(struct transport *transport);

// Sets what the peers of an address may send by what the gate's limits say.
void transport_limit_addresses(struct transport *transport);

// Whether another datagram may be read in this tick; counts it.
bool transport_has_time(struct transport *transport);

// Cuts out of a connected peer's datagram what ENet must not see: 1 where nothing is left, or ENet
// would not know whose it is.
int transport_filter(struct transport *transport, struct _ENetHost *host);

// ENet sends a datagram to a peer: `address` is that of an ENetPeer.
void transport_record_sent(struct transport *transport, const void *address);

// Whether a peer has acknowledged enough to be sent another reliable message.
bool transport_can_send_reliable(const struct transport *transport, uint32_t peer);

// Frees a peer's slot at once. If it was CONNECTED, DISCONNECTED is told next, and until then
// nothing is heard of whoever gets the slot.
void transport_drop(struct transport *transport, struct _ENetPeer *peer);

// The server ends a connection: it is reset a little later, whatever its peer does.
void transport_schedule_reset(struct transport *transport, uint32_t peer);
void transport_end_connections(struct transport *transport);

// Whether a peer holds a slot for nothing: it has left our answer to its CONNECT unacknowledged for
// longer than a round trip takes, or was not let in (see transport_let_in).
bool transport_is_idle(const struct transport *transport, const struct _ENetPeer *peer);

// Whether there is a slot for a CONNECT, which it then gets. If there is none, the oldest idle
// connection makes room, whatever network it is from. Walks all peers, as ENet does next.
bool transport_make_room(struct transport *transport, const struct _ENetAddress *from, uint32_t id);
