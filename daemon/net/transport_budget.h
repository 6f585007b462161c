// SPDX-License-Identifier: MIT
// Budgets of connected ENet peers: their datagrams, the reading time of a tick (an arena gives it a
// quarter of the tick), and their slots.
#pragma once

#include "transport_internal.h"

struct _ENetHost;
struct _ENetPeer;

// ENet 1.3 has 32 bits for an address. So the slot of a peer holds its address, and ENet has the
// number of the slot instead. Different peers then have different addresses in ENet. The transport
// compares a datagram's whole sender (transport_find_sender) before ENet takes it for the peer's.

// Sets the address that ENet takes for the sender of the datagram that it reads.
void transport_set_sender(struct _ENetHost *host, const struct _ENetPeer *peer);

// The address of a peer.
struct udp_address transport_peer_address(const struct transport *transport,
                                          const struct _ENetPeer *peer);

// Begins the reading time of a tick, and ends the connections whose deadline has passed.
void transport_begin_receive(struct transport *transport);

// Derives the datagram budget of an address from admission's limits.
void transport_limit_addresses(struct transport *transport);

// Counts a datagram. Returns false if this tick must not read it.
bool transport_has_time(struct transport *transport);

// The peer to which ENet will assign a datagram that is DATAGRAM_OK, by ENet's own rules; NULL if
// ENet would ignore it.
struct _ENetPeer *transport_find_sender(const struct transport *transport, const uint8_t *data,
                                        struct udp_address from);

// Counts a peer's datagram. If it exceeds the budget of the peer or its address, counts that reason
// and returns false.
bool transport_admit_datagram(struct transport *transport, const struct _ENetPeer *peer);

// Counts an unreliable message. If it exceeds the peer's inputs_per_tick, counts that reason and
// returns false.
bool transport_admit_input(struct transport *transport, struct transport_slot *slot);

// Applies the peer guard to a connected peer's datagram. Returns 1 to discard the datagram, 0 if
// ENet is to parse what remains of it.
int transport_filter(struct transport *transport, struct _ENetHost *host);

// Sets ENet's clock to the monotonic one if they differ by more than a millisecond, because the
// clock of the machine was set. Call it before each function of ENet that reads its clock. The
// process has one such clock; threads that set it at once set it to the same time. If the machine's
// clock jumps between this call and ENet's own, ENet sees that jump in that one call.
void transport_set_clock(void);

// Queues a datagram that ENet sends to a peer, and records its reliable commands. ENet knows a peer
// by the number of its slot; the datagram gets the client's own.
void transport_send_of_enet(struct transport *transport, uint8_t *data, size_t size);

// Whether the peer's log of unacknowledged commands has room for another reliable message.
bool transport_can_send_reliable(const struct transport *transport, uint32_t peer);

// Frees a peer's slot at once. If the peer was CONNECTED, the next event is its DISCONNECTED; until
// then datagrams of a new peer in the slot are discarded.
void transport_drop(struct transport *transport, struct _ENetPeer *peer);

// Schedules the reset of a connection that the server is ending, in case the peer does not answer.
void transport_schedule_reset(struct transport *transport, uint32_t peer);

// Ends every connection whose deadline has passed.
void transport_end_connections(struct transport *transport);

// Whether a peer's slot may be given to a new connection: the peer has not acknowledged the answer
// to its CONNECT before a resend, or was not admitted in time (see transport_admit).
bool transport_is_idle(const struct transport *transport, const struct _ENetPeer *peer);

// Prepares a slot for a CONNECT: the peer's own if the CONNECT is a repeated one, a free one, or
// that of the oldest idle connection of any network, which is dropped. Returns NULL if there is
// none. Walks all peers, as ENet does next.
const struct _ENetPeer *transport_make_room(struct transport *transport, struct udp_address from,
                                            uint32_t id);
