// SPDX-License-Identifier: MIT
// The announcement, by which a gateway tells a server whose datagrams one of its UDP sockets
// carries: a browser's, whose packets the server never sees. The gateway opens one socket for each
// player and arena, and sends an announcement on it before the player's first datagram, again with
// the next few in case it is lost, and then every second. A server that knows the gateway's key
// takes the socket's datagrams for the player's from then on, until no announcement has come for
// RAIM_ANNOUNCEMENT_LIFETIME_MS. It answers nothing.
//
// It is 70 bytes, with integers in little-endian order:
//
//   head     10      as of the other datagrams outside ENet (connectionless.h), kind 6
//   time      8      microseconds since 1970 by the gateway's clock, at most
//                    RAIM_ANNOUNCEMENT_SKEW_S from the server's; grows with every announcement of a
//                    socket, so that none is taken twice
//   gateway  16 + 2  address and port of the gateway's socket as the server sees them, so that a
//                    copy is of no use to another socket. No address translation may lie between
//   player   16 + 2  address and port of the player
//   tag      16      of all before it: the first bytes of keyed BLAKE2b-512
//
// An IPv4 address is IPv4-mapped (::ffff:a.b.c.d).
#pragma once

#include "connectionless.h"
#include "raim_address.h"

#define RAIM_GATEWAY_KEY_BYTES 32 // of the secret that gateway and server share
#define RAIM_ANNOUNCEMENT_BYTES 70
#define RAIM_ANNOUNCEMENT_SKEW_S 30
#define RAIM_ANNOUNCEMENT_LIFETIME_MS 10000

struct raim_announcement {
    uint64_t time_us;
    struct raim_address gateway; // scopes are not part of the datagram
    struct raim_address player;  // neither unspecified nor multicast; its port is not 0
};

// Writes an announcement with its tag. A wrong player is a bug and asserted.
void raim_announcement_write(const struct raim_announcement *announcement,
                             const uint8_t key[RAIM_GATEWAY_KEY_BYTES],
                             uint8_t bytes[RAIM_ANNOUNCEMENT_BYTES]);

// Reads a datagram of kind RAIM_CONNECTIONLESS_ANNOUNCEMENT without regard to its tag. False for
// bytes that raim_announcement_write does not write.
bool raim_announcement_read(const uint8_t *data, size_t size,
                            struct raim_announcement *announcement);

// Whether an announcement that raim_announcement_read has read has the tag of this key.
bool raim_announcement_verify(const uint8_t data[RAIM_ANNOUNCEMENT_BYTES],
                              const uint8_t key[RAIM_GATEWAY_KEY_BYTES]);
