// SPDX-License-Identifier: MIT
// Connects over ENet, through a connector's cookies and encryption. libenet calls enet_socket_send
// through the dynamic linker, so the definition at the end of this file replaces libenet's for the
// whole process; it encrypts the datagrams of the connection that is being served.
#define _POSIX_C_SOURCE 200809L
#include "enet_client.h"

#include "enet_socket.h"

#include "invitation.h"
#include "message.h"

#include <assert.h>
#include <enet/enet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

// ENet's throttle would drop inputs whenever a tick of queueing looks like congestion. A long
// interval, full acceleration and no deceleration keep it open.
enum { THROTTLE_INTERVAL_MS = 5000, THROTTLE_ACCELERATION = 32, THROTTLE_DECELERATION = 0 };
// The server measures the round trip by pings of its own, and a player notices a silent server by
// itself, so the client's pings are only for raim_enet_client_ping_ms and for spectators. ENet
// sends each in a datagram of its own; its default is 500 ms.
enum { PING_INTERVAL_MS = 2000 };
enum {
    MTU = 1200,
    MAX_DATAGRAM = MTU + RAIM_CONNECTOR_BYTES,
    CHANNELS = 2,
    RELIABLE = 0,
    UNRELIABLE = 1
};

static const uint64_t connect_us = 4000000; // for ENet to connect over an encrypted session

struct raim_enet_client {
    ENetAddress address;
    ENetHost *host;     // one per connection, each from a fresh port; NULL: none could be made
    ENetPeer *peer;     // NULL: there is no connection
    ENetPacket *packet; // of the last MESSAGE event
    bool is_connecting; // until the connector is ready or the caller gives up
    uint64_t ready_us;  // when the connector became ready
    struct raim_connector *connector;
    const uint8_t *token; // that invitations must prove to know; NULL: ignore them
    bool is_invited;
    struct raim_invitations invitations;
    struct raim_enet_client_traffic
        traffic;       // without what ENet's host has counted since take_traffic
    uint32_t arrived;  // unreliable packets since the last raim_enet_client_take_loss
    uint16_t sequence; // of the newest unreliable packet at that time
};

// The connector through which enet_socket_send sends on this thread; NULL: in plain text.
static _Thread_local struct raim_connector *serving;

uint64_t raim_enet_client_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

// --- Datagrams ---

// Accepts an invitation that proves to know the session's token. An attacker who repeats one that
// was overheard achieves nothing.
static void take_invite(struct raim_enet_client *connection, const uint8_t *data, size_t size)
{
    struct raim_invite invite;
    if (connection->token != NULL && raim_invite_read(data, size, &invite) &&
        raim_invitation_take(&connection->invitations, &invite, connection->token))
        connection->is_invited = true;
}

// Decrypts a datagram in its place. Returns 1 to hide from ENet one that cannot be decrypted.
static int open_datagram(struct raim_enet_client *connection, ENetHost *host)
{
    uint8_t opened[MAX_DATAGRAM];
    const size_t size = host->receivedDataLength;
    const size_t left =
        size <= sizeof opened
            ? raim_connector_decrypt(connection->connector, host->receivedData, size, opened)
            : 0;
    memcpy(host->receivedData, opened, left);
    host->receivedDataLength = left;
    return left > 0 ? 0 : 1;
}

// Sees every datagram before ENet does; returns 1 for those that ENet must not see. The data of the
// only peer is the connection.
static int intercept(ENetHost *host, ENetEvent *event)
{
    (void)event;
    struct raim_enet_client *connection = host->peers[0].data;
    const uint8_t *data = host->receivedData;
    const size_t size = host->receivedDataLength;
    if (size > connection->traffic.largest_datagram)
        connection->traffic.largest_datagram = size;
    const enum raim_connectionless_kind kind = raim_connectionless_kind(data, size);
    if (kind == RAIM_CONNECTIONLESS_NONE)
        return raim_connector_is_secure(connection->connector) ? open_datagram(connection, host)
                                                               : 0;
    if (host->receivedAddress.host != connection->address.host ||
        host->receivedAddress.port != connection->address.port)
        return 1;
    if (kind == RAIM_CONNECTIONLESS_INVITE)
        take_invite(connection, data, size);
    else
        raim_connector_receive(connection->connector, raim_enet_client_now_us(), data, size);
    return 1;
}

// Adds ENet's counters to 64-bit ones, because ENet's have 32 bits.
static void take_traffic(struct raim_enet_client *connection)
{
    ENetHost *host = connection->host;
    if (host == NULL)
        return;
    connection->traffic.bytes_down += host->totalReceivedData;
    connection->traffic.bytes_up += host->totalSentData;
    host->totalReceivedData = 0;
    host->totalSentData = 0;
}

static int service(struct raim_enet_client *connection, ENetEvent *event)
{
    serving = connection->connector;
    const int status = enet_host_service(connection->host, event, 0);
    serving = NULL;
    return status;
}

static void send_queued(struct raim_enet_client *connection)
{
    serving = connection->connector;
    enet_host_flush(connection->host);
    serving = NULL;
}

// --- Making a connection ---

struct raim_enet_client *raim_enet_client_create(const char *host, uint16_t port,
                                                 const struct raim_connector_def *def)
{
    struct raim_enet_client *connection = calloc(1, sizeof *connection);
    if (connection == NULL)
        return NULL;
    connection->address.port = port;
    connection->connector = raim_connector_create(def);
    if (connection->connector == NULL || enet_initialize() != 0 ||
        enet_address_set_host(&connection->address, host) != 0) {
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
    take_traffic(connection);
    free_packet(connection);
    if (connection->host != NULL)
        enet_host_destroy(connection->host);
    connection->host = NULL;
    connection->peer = NULL;
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
    free(connection);
}

// Sends the connector's datagram if one is due; a datagram that cannot be sent is lost. It leaves
// through ENet's own socket, so that a network address translator on the way gives both the same
// port.
static void send_connecting(struct raim_enet_client *connection)
{
    uint8_t bytes[RAIM_CONNECTIONLESS_BYTES];
    const ENetBuffer buffer = {
        .data = bytes,
        .dataLength = raim_connector_send(connection->connector, raim_enet_client_now_us(), bytes),
    };
    if (buffer.dataLength > 0 &&
        enet_socket_send(connection->host->socket, &connection->address, &buffer, 1) > 0)
        connection->traffic.bytes_up += buffer.dataLength;
}

bool raim_enet_client_begin(struct raim_enet_client *connection, const uint8_t *session)
{
    drop(connection);
    connection->arrived = 0;
    connection->sequence = 0;
    connection->host = enet_host_create(NULL, 1, CHANNELS, 0, 0);
    if (connection->host == NULL)
        return false;
    connection->host->peers[0].mtu = MTU; // ENet offers the peer's MTU, set before the host's
    connection->host->peers[0].data = connection;
    connection->host->intercept = intercept;
    raim_connector_begin(connection->connector, session, raim_enet_client_now_us());
    connection->is_connecting = true;
    send_connecting(connection);
    return true;
}

enum raim_connector_state raim_enet_client_advance(struct raim_enet_client *connection)
{
    if (!connection->is_connecting)
        return RAIM_CONNECTOR_IDLE;
    ENetEvent event;
    service(connection, &event);
    send_connecting(connection);
    const enum raim_connector_state state = raim_connector_state(connection->connector);
    if (state == RAIM_CONNECTOR_READY) {
        connection->is_connecting = false;
        connection->ready_us = raim_enet_client_now_us();
        connection->peer = enet_host_connect(connection->host, &connection->address, CHANNELS,
                                             raim_connector_cookie(connection->connector));
        send_queued(connection);
    }
    take_traffic(connection);
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
           raim_enet_client_now_us() - connection->ready_us >= connect_us;
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
    return connection->peer != NULL && service(connection, &from) > 0 &&
           translate(connection, &from, event);
}

bool raim_enet_client_next(struct raim_enet_client *connection,
                           struct raim_enet_client_event *event)
{
    ENetEvent from;
    free_packet(connection);
    return connection->host != NULL && enet_host_check_events(connection->host, &from) > 0 &&
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
    if (connection->host == NULL)
        return;
    send_queued(connection);
    take_traffic(connection);
}

void raim_enet_client_disconnect(struct raim_enet_client *connection, uint32_t reason)
{
    serving = connection->connector;
    enet_peer_disconnect(connection->peer, reason);
    serving = NULL;
}

void raim_enet_client_disconnect_later(struct raim_enet_client *connection)
{
    serving = connection->connector;
    enet_peer_disconnect_later(connection->peer, RAIM_REASON_LEFT);
    enet_host_flush(connection->host);
    serving = NULL;
    // ENet drops a connection that was still being made at once, without an event.
    if (connection->peer->state == ENET_PEER_STATE_DISCONNECTED)
        connection->peer = NULL;
}

void raim_enet_client_disconnect_now(struct raim_enet_client *connection)
{
    serving = connection->connector;
    enet_peer_disconnect_now(connection->peer, RAIM_REASON_LEFT);
    serving = NULL;
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
    struct raim_enet_client_traffic traffic = connection->traffic;
    if (connection->host != NULL) {
        traffic.bytes_down += connection->host->totalReceivedData;
        traffic.bytes_up += connection->host->totalSentData;
    }
    return traffic;
}

// --- What libenet calls ---

int enet_socket_send(ENetSocket socket, const ENetAddress *address, const ENetBuffer *buffers,
                     size_t count)
{
    if (serving == NULL || !raim_connector_is_secure(serving))
        return raim_enet_socket_send(socket, address, (const struct iovec *)buffers, count);
    uint8_t plain[MTU], encrypted[MAX_DATAGRAM];
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].dataLength > sizeof plain - size)
            return 0; // no server takes a datagram that is so large
        memcpy(plain + size, buffers[i].data, buffers[i].dataLength);
        size += buffers[i].dataLength;
    }
    const struct iovec part = {encrypted, raim_connector_encrypt(serving, raim_enet_client_now_us(),
                                                                 plain, size, encrypted)};
    return raim_enet_socket_send(socket, address, &part, 1);
}
