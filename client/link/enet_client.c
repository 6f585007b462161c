// SPDX-License-Identifier: MIT
// Connects over ENet, through a connector's cookies and encryption. ENet knows neither IPv6 nor
// encryption, so this file carries its datagrams (see enet_carrier.h) to the server and back by a
// socket of its own.
#define _POSIX_C_SOURCE 200809L
#include "enet_client.h"

#include "connector.h"
#include "enet_carrier.h"
#include "happy_eyeballs.h"
#include "message.h"

#include <enet/enet.h>
#include <stdlib.h>
#include <string.h>

// ENet's throttle would drop inputs whenever a tick of queueing looks like congestion. A long
// interval, full acceleration and no deceleration keep it open.
enum { THROTTLE_INTERVAL_MS = 5000, THROTTLE_ACCELERATION = 32, THROTTLE_DECELERATION = 0 };
// The server measures the round trip by its own pings, and a player notices a silent server by
// itself, so the client's pings are only for raim_enet_client_ping_ms and for spectators. ENet
// sends each in its own datagram; its default is 500 ms.
enum { PING_INTERVAL_MS = 2000 };
enum {
    MAX_DATAGRAM = RAIM_MAX_DATAGRAM_BYTES + RAIM_CONNECTOR_BYTES,
    CHANNELS = 2,
    RELIABLE = 0,
    UNRELIABLE = 1
};
enum { MAX_DATAGRAMS = 256 }; // of the server that an update reads at most

static const uint64_t connect_us = 4000000; // for ENet to connect over an encrypted session

struct raim_enet_client {
    struct raim_resolver *resolver;
    uint32_t mtu;        // of datagrams before encryption
    bool has_no_address; // the host's name cannot be resolved
    struct raim_address_race race;
    struct raim_connector *connector;
    bool is_connecting;   // until the connector is ready or the caller gives up
    bool was_handshaking; // when a connector's datagram was sent last
    uint64_t ready_us;    // when the connector became ready
    ENetHost *host;       // one per connection, from a fresh port; NULL: none could be made
    struct raim_enet_carrier *carrier; // of the host's datagrams
    ENetPeer *peer;                    // NULL: there is no connection
    ENetPacket *packet;                // of the last MESSAGE event
    // The datagram that ENet reads, and the next one.
    uint8_t received[2][RAIM_ENET_CARRIER_GAP + MAX_DATAGRAM];
    uint32_t next;        // its index
    size_t next_size;     // its bytes; 0: none is known to wait
    uint32_t budget;      // datagrams that may still be read in this update
    const uint8_t *token; // that invitations must prove to know; NULL: ignore them
    bool is_invited;      // or knows otherwise that the connection is lost
    struct raim_invitations invitations;
    struct raim_enet_client_traffic traffic;
    uint32_t arrived;  // unreliable packets since the last raim_enet_client_take_loss
    uint16_t sequence; // of the newest unreliable packet at that time
};

// --- Datagrams of the server ---

// Accepts an invitation that proves to know the session's token. An attacker who repeats one that
// was overheard achieves nothing.
static void take_invite(struct raim_enet_client *connection, const uint8_t *data, size_t size)
{
    struct raim_invite invite;
    if (connection->token != NULL && raim_invite_read(data, size, &invite) &&
        raim_invitation_take(&connection->invitations, &invite, connection->token))
        connection->is_invited = true;
}

// Takes a datagram outside of ENet's protocol. The first address of which the connector accepts one
// wins the race.
static void take_connectionless(struct raim_enet_client *connection, uint32_t socket,
                                const uint8_t *data, size_t size)
{
    if (raim_connectionless_kind(data, size) == RAIM_CONNECTIONLESS_INVITE)
        take_invite(connection, data, size);
    else if (raim_connector_receive(connection->connector, raim_system_now_us(), data, size))
        raim_address_race_win(&connection->race, socket);
}

// Nobody receives at an address: try the next one at once.
static void take_error(struct raim_enet_client *connection, uint32_t socket)
{
    struct raim_address_race *race = &connection->race;
    if (connection->is_connecting && socket + 1 == race->open && raim_address_race_try_next(race))
        raim_connector_repeat(connection->connector);
}

// Decrypts into `data` where the connection is encrypted. Returns the size; 0 for a datagram that
// ENet must not see.
static size_t decrypt(struct raim_enet_client *connection, const uint8_t *from, size_t size,
                      uint8_t *data)
{
    if (!connection->race.is_won)
        return 0;
    if (raim_connector_is_secure(connection->connector))
        return raim_connector_decrypt(connection->connector, from, size, data);
    memcpy(data, from, size);
    return size;
}

// Takes one datagram, or an error, of a socket. False where nothing waits. `*size` is that of the
// datagram for ENet in `data`; 0: there is none.
static bool take_datagram(struct raim_enet_client *connection, uint32_t socket, uint8_t *data,
                          size_t *size)
{
    uint8_t received[MAX_DATAGRAM];
    size_t received_size;
    *size = 0;
    switch (raim_system_receive(connection->race.sockets[socket], received, sizeof received,
                                &received_size)) {
    case RAIM_RECEIVED_NOTHING:
        return false;
    case RAIM_RECEIVED_ERROR:
        take_error(connection, socket);
        return true;
    case RAIM_RECEIVED_LOSS:
        connection->is_invited |= connection->token != NULL;
        return false;
    case RAIM_RECEIVED_DATAGRAM:
        break;
    }
    connection->traffic.bytes_down += received_size;
    if (received_size > connection->traffic.largest_datagram)
        connection->traffic.largest_datagram = received_size;
    if (raim_connectionless_kind(received, received_size) != RAIM_CONNECTIONLESS_NONE)
        take_connectionless(connection, socket, received, received_size);
    else
        *size = decrypt(connection, received, received_size, data);
    return true;
}

static bool has_next(void *context)
{
    struct raim_enet_client *connection = context;
    uint8_t *data = connection->received[connection->next] + RAIM_ENET_CARRIER_GAP;
    for (uint32_t socket = 0; socket < connection->race.open; socket++)
        while (connection->next_size == 0 && connection->budget > 0 &&
               socket < connection->race.open &&
               take_datagram(connection, socket, data, &connection->next_size))
            connection->budget--;
    return connection->next_size > 0;
}

static int receive_for_enet(void *context, ENetHost *host)
{
    struct raim_enet_client *connection = context;
    if (!has_next(connection))
        return 1;
    host->receivedAddress = host->address;
    host->receivedData = connection->received[connection->next] + RAIM_ENET_CARRIER_GAP;
    host->receivedDataLength = connection->next_size;
    connection->next ^= 1;
    connection->next_size = 0;
    return 0;
}

static void send_of_enet(void *context, uint8_t *data, size_t size)
{
    struct raim_enet_client *connection = context;
    uint8_t encrypted[MAX_DATAGRAM];
    if (size > connection->mtu || !connection->race.is_won)
        return; // no server takes a datagram that is so large
    if (raim_connector_is_secure(connection->connector)) {
        size = raim_connector_encrypt(connection->connector, raim_system_now_us(), data, size,
                                      encrypted);
        data = encrypted;
    }
    connection->traffic.bytes_up += raim_address_race_send(&connection->race, data, size);
}

// --- The host of a connection ---

static bool open_host(struct raim_enet_client *connection)
{
    const struct raim_enet_carrier_def def = {
        .context = connection,
        .receive = receive_for_enet,
        .waits = has_next,
        .send = send_of_enet,
    };
    connection->host = enet_host_create(NULL, 1, CHANNELS, 0, 0);
    if (connection->host == NULL)
        return false;
    connection->host->peers[0].mtu = connection->mtu; // ENet 1.3.17 offers it to the server
    connection->host->mtu = connection->mtu;          // ENet 1.3.18 offers this one
    connection->carrier = raim_enet_carrier_create(connection->host, &def);
    return connection->carrier != NULL;
}

static void close_host(struct raim_enet_client *connection)
{
    if (connection->host != NULL)
        enet_host_destroy(connection->host);
    raim_enet_carrier_destroy(connection->carrier);
    connection->host = NULL;
    connection->carrier = NULL;
    connection->peer = NULL;
    connection->next_size = 0;
}

// --- Making a connection ---

struct raim_enet_client *raim_enet_client_create(const char *host, uint16_t port, uint32_t mtu,
                                                 const struct raim_connector_def *def)
{
    struct raim_enet_client *connection = calloc(1, sizeof *connection);
    if (connection == NULL)
        return NULL;
    raim_address_race_init(&connection->race);
    connection->mtu = mtu;
    connection->resolver = raim_resolver_create(host, port);
    connection->connector = raim_connector_create(def);
    if (connection->resolver == NULL || connection->connector == NULL || enet_initialize() != 0) {
        raim_enet_client_destroy(connection);
        return NULL;
    }
    return connection;
}

static void free_packet(struct raim_enet_client *connection)
{
    if (connection->packet != NULL)
        enet_packet_destroy(connection->packet);
    connection->packet = NULL;
}

static void drop(struct raim_enet_client *connection)
{
    free_packet(connection);
    close_host(connection);
    raim_address_race_reset(&connection->race);
    connection->is_connecting = false;
    raim_connector_stop(connection->connector);
}

void raim_enet_client_destroy(struct raim_enet_client *connection)
{
    if (connection == NULL)
        return;
    if (connection->peer != NULL)
        raim_enet_client_disconnect_now(connection);
    if (connection->connector != NULL)
        drop(connection);
    raim_connector_destroy(connection->connector);
    raim_resolver_destroy(connection->resolver);
    free(connection);
}

// Sends the connector's datagram if one is due; a datagram that cannot be sent is lost. It leaves
// by the socket that ENet's datagrams will take, so that a network address translator on the way
// gives both the same port. As long as no address has answered, each further one is tried with the
// next repetition.
static void send_connecting(struct raim_enet_client *connection)
{
    uint8_t bytes[RAIM_CONNECTIONLESS_BYTES];
    struct raim_address_race *race = &connection->race;
    if (race->count == 0)
        return;
    const size_t size = raim_connector_send(connection->connector, raim_system_now_us(), bytes);
    if (size == 0)
        return;
    const bool is_handshaking =
        raim_connector_state(connection->connector) == RAIM_CONNECTOR_HANDSHAKING;
    if (connection->was_handshaking && !is_handshaking)
        raim_address_race_reopen(race); // the winner has fallen silent
    connection->was_handshaking = is_handshaking;
    raim_address_race_try_next(race);
    connection->traffic.bytes_up += raim_address_race_send(race, bytes, size);
}

// Takes the addresses of the host as soon as they are known. Those found during a later connection
// are for the one after it.
static void take_addresses(struct raim_enet_client *connection)
{
    struct raim_address addresses[RAIM_RESOLVER_ADDRESSES];
    uint32_t count;
    switch (raim_resolver_take(connection->resolver, addresses, &count)) {
    case RAIM_RESOLVER_FOUND:
        connection->has_no_address = false;
        raim_address_race_set(&connection->race, addresses, count);
        break;
    case RAIM_RESOLVER_FAILED:
        connection->has_no_address = connection->race.count == 0;
        break;
    case RAIM_RESOLVER_IDLE:
    case RAIM_RESOLVER_RUNNING:
        break;
    }
}

bool raim_enet_client_begin(struct raim_enet_client *connection, const uint8_t *session)
{
    drop(connection);
    connection->arrived = 0;
    connection->sequence = 0;
    connection->was_handshaking = false;
    connection->has_no_address = false;
    take_addresses(connection);
    raim_resolver_start(connection->resolver);
    if (connection->race.count == 0)
        take_addresses(connection);
    if (!open_host(connection)) {
        close_host(connection);
        return false;
    }
    raim_connector_begin(connection->connector, session, raim_system_now_us());
    connection->is_connecting = true;
    send_connecting(connection);
    return true;
}

bool raim_enet_client_has_no_address(const struct raim_enet_client *connection)
{
    return connection->has_no_address;
}

enum raim_connector_state raim_enet_client_advance(struct raim_enet_client *connection)
{
    if (!connection->is_connecting)
        return RAIM_CONNECTOR_IDLE;
    ENetEvent event;
    if (connection->race.count == 0)
        take_addresses(connection);
    connection->budget = MAX_DATAGRAMS;
    raim_enet_carrier_service(connection->carrier, &event);
    send_connecting(connection);
    const enum raim_connector_state state = raim_connector_state(connection->connector);
    if (state == RAIM_CONNECTOR_READY) {
        connection->is_connecting = false;
        connection->ready_us = raim_system_now_us();
        connection->peer = enet_host_connect(connection->host, &connection->host->address, CHANNELS,
                                             raim_connector_cookie(connection->connector));
        enet_host_flush(connection->host);
    }
    return state;
}

void raim_enet_client_give_up(struct raim_enet_client *connection)
{
    connection->is_connecting = false;
}

void raim_enet_client_expect_invitation(struct raim_enet_client *connection, const uint8_t *token)
{
    connection->token = token;
}

bool raim_enet_client_take_invitation(struct raim_enet_client *connection)
{
    const bool is_invited = connection->is_invited;
    connection->is_invited = false;
    return is_invited;
}

const struct raim_connector *raim_enet_client_connector(const struct raim_enet_client *connection)
{
    return connection->connector;
}

bool raim_enet_client_has_peer(const struct raim_enet_client *connection)
{
    return connection->peer != NULL;
}

bool raim_enet_client_is_stuck(const struct raim_enet_client *connection)
{
    return connection->peer != NULL && connection->peer->state == ENET_PEER_STATE_CONNECTING &&
           raim_connector_is_secure(connection->connector) &&
           raim_system_now_us() - connection->ready_us >= connect_us;
}

// --- Messages ---

// Translates an event of ENet's; false for none.
static bool translate(struct raim_enet_client *connection, const ENetEvent *from,
                      struct raim_enet_client_event *event)
{
    *event = (struct raim_enet_client_event){.kind = RAIM_ENET_CLIENT_MESSAGE};
    switch (from->type) {
    case ENET_EVENT_TYPE_CONNECT:
        enet_peer_throttle_configure(connection->peer, THROTTLE_INTERVAL_MS, THROTTLE_ACCELERATION,
                                     THROTTLE_DECELERATION);
        enet_peer_ping_interval(connection->peer, PING_INTERVAL_MS);
        event->kind = RAIM_ENET_CLIENT_UP;
        return true;
    case ENET_EVENT_TYPE_RECEIVE:
        connection->arrived += from->channelID == UNRELIABLE;
        connection->packet = from->packet;
        event->data = from->packet->data;
        event->size = from->packet->dataLength;
        return true;
    case ENET_EVENT_TYPE_DISCONNECT:
        connection->peer = NULL;
        event->kind = RAIM_ENET_CLIENT_DOWN;
        event->reason = from->data;
        return true;
    case ENET_EVENT_TYPE_NONE:
        break;
    }
    return false;
}

bool raim_enet_client_receive(struct raim_enet_client *connection,
                              struct raim_enet_client_event *event)
{
    ENetEvent from;
    free_packet(connection);
    connection->budget = MAX_DATAGRAMS;
    if (connection->peer == NULL)
        return false;
    return raim_enet_carrier_service(connection->carrier, &from) > 0
               ? translate(connection, &from, event)
               : raim_enet_client_next(connection, event);
}

bool raim_enet_client_next(struct raim_enet_client *connection,
                           struct raim_enet_client_event *event)
{
    ENetEvent from;
    free_packet(connection);
    if (connection->host == NULL)
        return false;
    return enet_host_check_events(connection->host, &from) > 0 &&
           translate(connection, &from, event);
}

void raim_enet_client_send(struct raim_enet_client *connection, bool reliable, const uint8_t *data,
                           size_t size)
{
    if (size == 0 || connection->peer == NULL)
        return;
    ENetPacket *packet = enet_packet_create(data, size, reliable ? ENET_PACKET_FLAG_RELIABLE : 0);
    if (packet == NULL)
        return; // out of memory is a lost packet
    if (enet_peer_send(connection->peer, reliable ? RELIABLE : UNRELIABLE, packet) != 0)
        enet_packet_destroy(packet);
}

void raim_enet_client_flush(struct raim_enet_client *connection)
{
    if (connection->host != NULL)
        enet_host_flush(connection->host);
}

void raim_enet_client_disconnect(struct raim_enet_client *connection, uint32_t reason)
{
    enet_peer_disconnect(connection->peer, reason);
}

void raim_enet_client_disconnect_later(struct raim_enet_client *connection)
{
    enet_peer_disconnect_later(connection->peer, RAIM_REASON_LEFT);
    enet_host_flush(connection->host);
    // ENet drops a connection that was still being made at once, without an event.
    if (connection->peer->state == ENET_PEER_STATE_DISCONNECTED)
        connection->peer = NULL;
}

void raim_enet_client_disconnect_now(struct raim_enet_client *connection)
{
    enet_peer_disconnect_now(connection->peer, RAIM_REASON_LEFT);
    connection->peer = NULL;
}

void raim_enet_client_end(struct raim_enet_client *connection, const uint8_t *data, size_t size)
{
    if (connection->peer->state != ENET_PEER_STATE_CONNECTED) {
        raim_enet_client_disconnect_now(connection);
        return;
    }
    raim_enet_client_send(connection, true, data, size);
    raim_enet_client_flush(connection);
    enet_peer_reset(connection->peer);
    connection->peer = NULL;
}

uint32_t raim_enet_client_sockets(const struct raim_enet_client *connection, raim_socket *sockets)
{
    memcpy(sockets, connection->race.sockets, connection->race.open * sizeof *sockets);
    return connection->race.open;
}

// --- Counters ---

// ENet numbers the unreliable packets of a channel, from 1 on, modulo 2^16.
bool raim_enet_client_take_loss(struct raim_enet_client *connection, uint32_t *arrived,
                                uint32_t *sent)
{
    const ENetPeer *peer = connection->peer;
    if (peer == NULL || peer->channelCount <= UNRELIABLE)
        return false;
    const uint16_t sequence = peer->channels[UNRELIABLE].incomingUnreliableSequenceNumber;
    *arrived = connection->arrived;
    *sent = (uint16_t)(sequence - connection->sequence);
    connection->sequence = sequence;
    connection->arrived = 0;
    return *arrived <= *sent; // a server may send unreliable packets without a number
}

uint32_t raim_enet_client_ping_ms(const struct raim_enet_client *connection)
{
    return connection->peer != NULL ? connection->peer->roundTripTime : 0;
}

struct raim_enet_client_traffic raim_enet_client_traffic(const struct raim_enet_client *connection)
{
    return connection->traffic;
}
