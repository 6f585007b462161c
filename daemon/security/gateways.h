// SPDX-License-Identifier: MIT
// Table of the players behind gateways (proto/gateway.h). It has, for each socket of a gateway, the
// address of its player as the newest announcement names it. On receipt the transport replaces a
// datagram's sender by that address, on sending it replaces the address by the socket. So the rest
// of the server does not know of gateways. `via` in the address is the number of the socket's
// entry, by which two players with one address and port, behind different sockets, differ.
//
// A stranger without a key makes no entry and costs one hash. A client that opens sessions at a
// gateway makes one entry each. In a full table a new entry replaces the one without a connection
// that was announced the longest time ago; if its own address or network exceeds its limit, one of
// these.
//
// Memory is fixed; time and randomness come from the caller. Thread rule: as its transport.
#pragma once

#include "datagram.h"
#include "gateway.h"
#include "ip_address.h"
#include "secure_sessions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gateways;

// For `peers` connections. Copies the key that announcements must have been made with. `hash` is
// random and known only to this process. NULL when memory runs out. Destroying NULL does nothing.
struct gateways *gateways_create(uint32_t peers, const uint8_t key[RAIM_GATEWAY_KEY_BYTES],
                                 uint64_t hash);
void gateways_destroy(struct gateways *gateways);

// Replaces the sender of a datagram by the player for whom its socket was announced.
void gateways_translate(const struct gateways *gateways, struct udp_address *from, int64_t now_ms);

// Replaces the address of a player behind a gateway by the gateway's socket. False if the socket
// now belongs to another player.
bool gateways_resolve(const struct gateways *gateways, struct udp_address *to);

// Keeps the entry of a peer that connects until the next sweep.
void gateways_keep(struct gateways *gateways, struct udp_address peer);

// Mark and sweep: call gateways_mark for each connected peer, then gateways_sweep. The entries of
// other peers may then be replaced.
void gateways_mark(struct gateways *gateways, struct udp_address peer);
void gateways_sweep(struct gateways *gateways);

// Takes a datagram of kind RAIM_CONNECTIONLESS_ANNOUNCEMENT from a socket's own address.
// Returns DATAGRAM_OK, or why it changes nothing: DATAGRAM_CONNECTIONLESS if it is malformed,
// DATAGRAM_GATEWAY_SOCKET, _TIME or _KEY, or DATAGRAM_CONNECTIONS if no entry may be replaced
// before the next sweep. `limits` are those of connections. `now_us` counts from 1970, `now_ms`
// never decreases.
enum datagram_verdict gateways_announce(struct gateways *gateways, struct udp_address socket,
                                        const uint8_t *data, size_t size,
                                        struct secure_limits limits, uint64_t now_us,
                                        int64_t now_ms);
