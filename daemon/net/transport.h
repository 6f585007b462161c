// SPDX-License-Identifier: MIT
// One arena's UDP side: an ENet host whose socket and clock functions are ours. Datagrams move in
// batches (recvmmsg, sendmmsg), time is monotonic, and every datagram passes datagram_check and
// then the gate, or the guard of the peer that sent it, before ENet parses it. Thread rule: a
// transport belongs to one thread at a time.
#pragma once

#include "datagram.h"
#include "gate.h"
#include "gate_limits.h"
#include "transport_stats.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reliable bytes that may wait for a peer's acknowledgements before it is dropped as too slow.
#define TRANSPORT_MAX_QUEUED (64 * 1024)

struct transport;

enum transport_event_kind {
    TRANSPORT_NONE,
    TRANSPORT_CONNECTED,
    TRANSPORT_DISCONNECTED,
    TRANSPORT_MESSAGE,
    TRANSPORT_QUERY, // somebody without a connection asks, and waits for a transport_reply
};

struct transport_event {
    enum transport_event_kind kind;
    uint32_t peer;       // 0 to peers - 1, stable from CONNECTED to DISCONNECTED
    bool reliable;       // the channel of a message: 0 is reliable, 1 is not
    const uint8_t *data; // of a message, valid until the next transport_poll
    size_t size;
    enum query_kind query;   // what a QUERY asks
    struct udp_address from; // and who
};

// Opens a UDP socket on a dotted IPv4 address (port 0: any) for up to `peers` peers (1 to
// RAIM_MAX_PEERS).
// Returns NULL and writes a reason of at most `capacity` bytes into `error`.
struct transport *transport_open(const char *address, uint16_t port, uint32_t peers, char *error,
                                 size_t capacity);
// The same on a UDP socket over IPv4 that is bound already; takes it, even when it fails.
struct transport *transport_adopt(int socket, uint32_t peers, char *error, size_t capacity);
void transport_close(struct transport *transport);

// The bound UDP port.
uint16_t transport_port(const struct transport *transport);

// Whether queries are let in as TRANSPORT_QUERY events; at first they are refused like any other
// connectionless datagram.
void transport_admit_queries(struct transport *transport, bool admit);

// Whether who connects must have a cookie (see gate.h), and what an address may take; at first
// nobody needs one, and GATE_LIMITS_DEFAULT holds. Connect requests are answered in any case.
void transport_guard(struct transport *transport, bool wants_cookies,
                     const struct gate_limits *limits);

// How long a transport_receive with its transport_polls may take, in microseconds; at first any
// time. Then the rest stays in the kernel for the next, but for 64 datagrams and two for each peer,
// which are read however long it takes.
void transport_limit_time(struct transport *transport, uint32_t us);

// The arena's name, of 1 to 31 bytes, that cookies tell; and whether a credential is wanted of
// whoever comes in. At first "arena", and none is.
void transport_offer(struct transport *transport, const char *arena, bool needs_admission);

// Who is banned and which credentials are good, from now on; see gate.h. Copies it.
void transport_set_policy(struct transport *transport, const struct gate_policy *policy);

// Offers encrypted sessions from now on (see secure_sessions.h), to a server known by its lasting
// secret key; `required`: takes no other datagrams but connect requests and queries. Who has a
// session sends and gets nothing plain. False when memory is missing.
bool transport_encrypt(struct transport *transport, const uint8_t secret[RAIM_KEY_BYTES],
                       bool required);

// Begins a tick's reading: transport_poll, called until false, reads every datagram that waits in
// the kernel and tells what they held.
void transport_receive(struct transport *transport);
bool transport_poll(struct transport *transport, struct transport_event *event);

// Queues a message for a peer; it leaves with transport_flush. Reliable messages go to channel 0,
// others to channel 1 and are never dropped by ENet's throttle. A peer whose unacknowledged
// reliable bytes exceed TRANSPORT_MAX_QUEUED, or that is ROUND_TRIP_MESSAGES behind, is dropped: a
// DISCONNECTED event follows.
void transport_send(struct transport *transport, uint32_t peer, bool reliable, const uint8_t *data,
                    size_t size);

// Queues the reply to a query, of at most RAIM_MAX_DATAGRAM_BYTES bytes; it leaves with the next
// batch.
void transport_reply(struct transport *transport, struct udp_address to, const uint8_t *data,
                     size_t size);

// Queues a datagram of ours that is not ENet's, to anybody, of at most RAIM_MAX_DATAGRAM_BYTES
// bytes; it leaves with the next batch.
void transport_send_to(struct transport *transport, struct udp_address to, const uint8_t *data,
                       size_t size);

// Disconnects a peer once its queued reliable messages are acknowledged, and after a second in any
// case; `reason` travels in ENet's disconnect data. A DISCONNECTED event follows.
void transport_disconnect(struct transport *transport, uint32_t peer, uint32_t reason);

// A peer's HELLO was accepted. Before, it makes room for another a second after it has CONNECTED:
// whatever it sends, it only holds a slot.
void transport_let_in(struct transport *transport, uint32_t peer);

// Sends everything queued.
void transport_flush(struct transport *transport);

// The number of peers that are connected or still disconnecting.
uint32_t transport_peers(const struct transport *transport);

// The handles of peers are below this.
uint32_t transport_capacity(const struct transport *transport);

// Whether CONNECTED was told of a peer and DISCONNECTED was not.
bool transport_is_connected(const struct transport *transport, uint32_t peer);

// Whether a connected peer's datagrams are encrypted and authenticated.
bool transport_is_secure(const struct transport *transport, uint32_t peer);

// The IPv4 address of a connected peer, in the machine's byte order.
uint32_t transport_address(const struct transport *transport, uint32_t peer);

// From where a connected peer plays: for transport_send_to, when the connection is there no more.
struct udp_address transport_source(const struct transport *transport, uint32_t peer);

// Mean round trip of a connected peer in milliseconds, as ENet measures it.
uint32_t transport_ping_ms(const struct transport *transport, uint32_t peer);

// The least round trip of a connected peer within the last second or so, in milliseconds, as the
// server measured it: from when it sent a reliable command (ENet's pings among them) once to when
// it read the acknowledgement. The peer can make it longer, not shorter than the way. UINT32_MAX
// where there was none.
uint32_t transport_rtt_ms(const struct transport *transport, uint32_t peer);

// Mean deviation of the round trips of a connected peer in milliseconds, as ENet measures it.
uint32_t transport_jitter_ms(const struct transport *transport, uint32_t peer);

const struct transport_stats *transport_stats(const struct transport *transport);
