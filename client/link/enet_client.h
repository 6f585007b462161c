// SPDX-License-Identifier: MIT
// ENet's side of a link: one connection at a time to one server, each from a fresh socket, with the
// connector's datagrams, IPv6 and IPv4, encryption, invitations, and counters of loss and traffic.
// It moves messages as bytes; link.c gives them to a client.
// Thread rule: a connection belongs to one thread at a time.
#pragma once

#include "connector.h"
#include "happy_eyeballs.h"

struct raim_enet_client;

enum raim_enet_client_event_kind {
    RAIM_ENET_CLIENT_UP,      // messages can be sent
    RAIM_ENET_CLIENT_MESSAGE, // of the server
    RAIM_ENET_CLIENT_DOWN,
};

struct raim_enet_client_event {
    enum raim_enet_client_event_kind kind;
    uint32_t reason;     // of DOWN: ENet's data, a reason of a GOODBYE
    const uint8_t *data; // of MESSAGE: valid until the next call for an event
    size_t size;
};

// Copies the host, a name or an address of either family. `mtu` is the most bytes of a datagram of
// ENet's, RAIM_SMALL_DATAGRAM_BYTES to RAIM_MAX_DATAGRAM_BYTES. NULL where memory or random numbers
// are missing.
struct raim_enet_client *raim_enet_client_create(const char *host, uint16_t port, uint32_t mtu,
                                                 const struct raim_connector_def *def);

// Disconnects at once, and frees. NULL is fine.
void raim_enet_client_destroy(struct raim_enet_client *connection);

// Drops the previous connection, if any, then resolves the host's name and connects from a new
// port. `session` is the token of a session to resume, of RAIM_TOKEN_BYTES, or NULL. False where
// there is no socket or no memory.
bool raim_enet_client_begin(struct raim_enet_client *connection, const uint8_t *session);

// Whether the connection cannot be made because the host has no address.
bool raim_enet_client_has_no_address(const struct raim_enet_client *connection);

// Borrows the session token that invitations must prove to know; NULL: ignore invitations.
void raim_enet_client_expect_invitation(struct raim_enet_client *connection, const uint8_t *token);

// Whether a valid invitation to resume has come since the last call, or the system has noticed that
// the connection is lost.
bool raim_enet_client_take_invitation(struct raim_enet_client *connection);

// Receives whatever has arrived and returns the first event; false: none. The following events of
// this call are those of raim_enet_client_next.
bool raim_enet_client_receive(struct raim_enet_client *connection,
                              struct raim_enet_client_event *event);
bool raim_enet_client_next(struct raim_enet_client *connection,
                           struct raim_enet_client_event *event);

// While a connection is being made: receives, sends what is due, and lets ENet connect as soon as
// the connector is ready. Returns the connector's state; IDLE where no connection is being made.
enum raim_connector_state raim_enet_client_advance(struct raim_enet_client *connection);

// Stops making a connection.
void raim_enet_client_give_up(struct raim_enet_client *connection);

const struct raim_connector *raim_enet_client_connector(const struct raim_enet_client *connection);

// Whether ENet has a connection, or is making or ending one.
bool raim_enet_client_has_peer(const struct raim_enet_client *connection);

// Whether ENet has tried for four seconds to connect over an encrypted session. A server under
// attack may have ended that session, so only a new connection helps.
bool raim_enet_client_is_stuck(const struct raim_enet_client *connection);

// Queues a message; one of size 0 is ignored. Without a peer or memory the message is lost.
void raim_enet_client_send(struct raim_enet_client *connection, bool reliable, const uint8_t *data,
                           size_t size);

// Sends what is queued.
void raim_enet_client_flush(struct raim_enet_client *connection);

// Ends the connection: with a reason and then DOWN; after everything queued was acknowledged and
// then DOWN; at once, without DOWN.
void raim_enet_client_disconnect(struct raim_enet_client *connection, uint32_t reason);
void raim_enet_client_disconnect_later(struct raim_enet_client *connection);
void raim_enet_client_disconnect_now(struct raim_enet_client *connection);

// Sends a last reliable message, once, and ends the connection at once, without DOWN. A DISCONNECT
// is sent only where there is no connection yet: the server's ENet would drop the message for it.
void raim_enet_client_end(struct raim_enet_client *connection, const uint8_t *data, size_t size);

// The server's unreliable packets since the last call: how many arrived, and how many were sent.
// False where that is unknown.
bool raim_enet_client_take_loss(struct raim_enet_client *connection, uint32_t *arrived,
                                uint32_t *sent);

// Mean round trip in ms, as ENet measures it every two seconds; 0 without a peer.
uint32_t raim_enet_client_ping_ms(const struct raim_enet_client *connection);

struct raim_enet_client_traffic {
    uint64_t bytes_down, bytes_up; // UDP payload
    uint64_t largest_datagram;     // received, bytes
};
struct raim_enet_client_traffic raim_enet_client_traffic(const struct raim_enet_client *connection);

// Writes the sockets to wait for, at most RAIM_RESOLVER_ADDRESSES, and returns their number.
uint32_t raim_enet_client_sockets(const struct raim_enet_client *connection, raim_socket *sockets);
