// SPDX-License-Identifier: MIT
// UDP transport of one arena: an ENet host whose datagrams this file carries (see
// enet_carrier.h). Datagrams move in batches (recvmmsg, sendmmsg), time is monotonic, and every
// datagram passes datagram_check and then admission, or the guard of the peer that sent it, before
// ENet parses it. Unreliable messages bypass ENet where it would only pass them on (see
// transport_direct.h). Thread rule: a transport belongs to one thread at a time.
#pragma once

#include "admission.h"
#include "admission_limits.h"
#include "datagram.h"
#include "transport_stats.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of messages queued for a peer, unsent or unacknowledged, beyond which it is dropped.
#define TRANSPORT_MAX_QUEUED (64 * 1024)

struct transport;

enum transport_event_kind {
    TRANSPORT_NONE,
    TRANSPORT_CONNECTED,
    TRANSPORT_DISCONNECTED,
    TRANSPORT_MESSAGE,
    TRANSPORT_QUERY, // a server query without a connection; answer it by transport_reply
};

struct transport_event {
    enum transport_event_kind kind;
    uint32_t peer;       // 0 to peers - 1, stable from CONNECTED to DISCONNECTED
    uint8_t channels;    // of a CONNECTED: 1 or 2; with 1 the peer gets no unreliable messages
    bool reliable;       // the channel of a message: 0 is reliable, 1 is not
    const uint8_t *data; // of a message or a QUERY, valid until the next transport_poll
    size_t size;
    enum query_kind query;   // of a QUERY
    struct udp_address from; // sender of a QUERY
};

// Opens a UDP socket on an address (see socket_address.h; "::" serves IPv6 and IPv4; port 0: any)
// for up to `peers` peers (1 to RAIM_MAX_PEERS). On failure returns NULL and writes a reason of at
// most `capacity` bytes into `error`.
struct transport *transport_open(const char *address, uint16_t port, uint32_t peers, char *error,
                                 size_t capacity);

// Creates a transport on a bound UDP socket. Takes the socket, even on failure. Otherwise as
// transport_open.
struct transport *transport_adopt(int socket, uint32_t peers, char *error, size_t capacity);
void transport_close(struct transport *transport);

// The bound UDP port.
uint16_t transport_port(const struct transport *transport);

// Sets whether server queries arrive as TRANSPORT_QUERY events. Initially they are rejected as
// DATAGRAM_CONNECTIONLESS.
void transport_enable_queries(struct transport *transport, bool admit);

// Sets whether a CONNECT needs a cookie (see admission.h), and the limits per address. Initially no
// cookie is needed and ADMISSION_LIMITS_DEFAULT applies. Connect requests are always answered.
void transport_set_limits(struct transport *transport, bool requires_cookies,
                          const struct admission_limits *limits);

// Sets the class (DSCP, RFC 2474; 0 to 63) in which datagrams are sent. Initially the socket's own.
void transport_set_dscp(struct transport *transport, uint32_t dscp);

// Limits the time for which a transport_receive and its transport_polls may read, in microseconds;
// 0, the initial value: no limit. Later datagrams stay in the kernel until the next receive. At
// least 64 datagrams and two per peer slot are read.
void transport_limit_time(struct transport *transport, uint32_t us);

// Sets the contents of cookies: the arena's name, of 1 to 31 bytes, whether clients need a
// credential, and the salt of the arena's password, of RAIM_PASSWORD_SALT_BYTES; NULL: no password.
// A password is accepted only with encryption. Initially "arena", false and NULL.
void transport_set_services(struct transport *transport, const char *arena, bool needs_admission,
                            const uint8_t *salt);

// Sets how bans and credentials are checked (see admission.h). Copies the policy and borrows its
// context.
void transport_set_policy(struct transport *transport, const struct admission_policy *policy);

// Offers encrypted sessions (see secure_sessions.h). Call it at most once. `secret` is the server's
// long-term secret key, copied. `required`: rejects plain datagrams except connect requests and
// queries. A client with a session neither sends nor receives plain datagrams. False when memory
// runs out.
bool transport_enable_encryption(struct transport *transport, const uint8_t secret[RAIM_KEY_BYTES],
                                 bool required);

// Accepts the addresses of players from gateways that have this key, of RAIM_GATEWAY_KEY_BYTES,
// which is copied (see gateways.h). Call it at most once. False when memory runs out.
bool transport_enable_gateways(struct transport *transport, const uint8_t *key);

// Begins a tick's reading. Call transport_poll until it returns false: it reads the datagrams that
// wait in the kernel and returns one event per call.
void transport_receive(struct transport *transport);
bool transport_poll(struct transport *transport, struct transport_event *event);

// Call it instead of transport_receive and transport_poll in a tick in which the socket has no
// datagram and transport_is_quiet holds.
void transport_skip_receive(struct transport *transport);

// Whether no peer is connected, connecting or disconnecting, so that only a datagram can cause an
// event. Visits every peer slot.
bool transport_is_quiet(const struct transport *transport);

// The maximum size of a message to a connected peer: RAIM_MAX_MESSAGE_BYTES, or fewer bytes, but at
// least RAIM_SMALL_MESSAGE_BYTES, if its CONNECT asked for a smaller MTU.
uint32_t transport_message_bytes(const struct transport *transport, uint32_t peer);

// The UDP socket, for a poll.
int transport_socket(const struct transport *transport);

// Queues a message for a peer; transport_flush sends it. Reliable messages go to channel 0, others
// to channel 1; ENet's throttle never drops them. `size` is 1 to transport_message_bytes. A peer
// with more than TRANSPORT_MAX_QUEUED queued bytes when a reliable message is sent, with
// ROUND_TRIP_MESSAGES unacknowledged reliable messages, or without progress for 15 s, is dropped: a
// DISCONNECTED event follows.
void transport_send(struct transport *transport, uint32_t peer, bool reliable, const uint8_t *data,
                    size_t size);

// Queues the reply to a query, of at most RAIM_MAX_DATAGRAM_BYTES bytes, and counts it. It is sent
// with the next batch.
void transport_reply(struct transport *transport, struct udp_address to, const uint8_t *data,
                     size_t size);

// Whether the socket's family can send to an address. A socket of IPv4 cannot send to IPv6.
bool transport_reaches(const struct transport *transport, struct ip_address ip);

// Queues a plain datagram outside ENet, to any address that it reaches, of at most
// RAIM_MAX_DATAGRAM_BYTES bytes. It is sent with the next batch.
void transport_send_to(struct transport *transport, struct udp_address to, const uint8_t *data,
                       size_t size);

// Disconnects a peer when its queued reliable messages are acknowledged, or after a second.
// `reason` is sent as ENet's disconnect data. A DISCONNECTED event follows.
void transport_disconnect(struct transport *transport, uint32_t peer, uint32_t reason);

// Marks a peer as admitted, because its HELLO was accepted. A peer that is not admitted within a
// second of CONNECTED may lose its slot to a new connection, whatever it sends.
void transport_admit(struct transport *transport, uint32_t peer);

// Sends all queued messages and datagrams.
void transport_flush(struct transport *transport);

// The number of peers that are connected or still disconnecting.
uint32_t transport_peers(const struct transport *transport);

// The number of peer slots: every peer is below this.
uint32_t transport_capacity(const struct transport *transport);

// Whether a peer is connected: its CONNECTED was returned and its DISCONNECTED was not.
bool transport_is_connected(const struct transport *transport, uint32_t peer);

// Whether a connected peer's datagrams are encrypted and authenticated.
bool transport_is_secure(const struct transport *transport, uint32_t peer);

// Whether a connected peer has shown that it knows the arena's password.
bool transport_knows_password(const struct transport *transport, uint32_t peer);

// The address and port of a connected peer.
struct udp_address transport_source(const struct transport *transport, uint32_t peer);

// The address and port to which a connected peer's datagrams are sent: those of its gateway if it
// is behind one. They stay valid for transport_send_to after the connection or the process has
// ended. All zero if they are no longer known.
struct udp_address transport_path(const struct transport *transport, uint32_t peer);

// Mean round trip of a connected peer in milliseconds, as measured by ENet.
uint32_t transport_ping_ms(const struct transport *transport, uint32_t peer);

// The shortest round trip of a connected peer within about the last second, in milliseconds,
// measured by the server's clock (see peer_guard.h): from sending a reliable command, such as a
// ping, to reading its acknowledgement. The peer can lengthen it, but cannot make it shorter than
// the network's delay. UINT32_MAX if there was no sample.
uint32_t transport_rtt_ms(const struct transport *transport, uint32_t peer);

// Mean deviation of a connected peer's round trips in milliseconds, as measured by ENet.
uint32_t transport_jitter_ms(const struct transport *transport, uint32_t peer);

// Counters since the transport was opened; valid as long as the transport.
const struct transport_stats *transport_stats(const struct transport *transport);
