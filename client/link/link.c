// SPDX-License-Identifier: MIT
// Moves a client's messages over ENet, to which a connector leads. What an encrypted connection
// sends goes through the connector: libenet calls enet_socket_send through the dynamic linker, so
// the definition here replaces its own for the whole process.
#define _POSIX_C_SOURCE 200809L
#include "link.h"

#include "access.h"
#include "connector.h"
#include "crypto.h"
#include "handshake.h"
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

// ENet's throttle would drop inputs whenever a tick's worth of waiting looks like congestion; so
// it gets a long interval, full acceleration and no deceleration.
enum { THROTTLE_INTERVAL_MS = 5000, THROTTLE_ACCELERATION = 32, THROTTLE_DECELERATION = 0 };
enum {
    MTU = RAIM_MAX_DATAGRAM_BYTES,
    MAX_DATAGRAM = MTU + RAIM_CONNECTOR_BYTES,
    CHANNELS = 2,
    RELIABLE = 0,
    UNRELIABLE = 1
};

// For ENet to connect in an encrypted session, which a server under attack may have ended by then.
static const uint64_t connect_us = 4000000;

struct raim_link {
    ENetAddress address;
    ENetHost *host;     // one for each connection: from a fresh port. NULL when none could be made
    ENetPeer *peer;     // NULL: there is no connection
    bool is_connecting; // until the connector is ready, or the client has ended
    uint64_t ready_us;  // when it was
    struct raim_connector *connector; // of this connection, and what the link knows of the server
    bool is_invited;                  // the server has just asked to come back
    struct raim_invitations invitations;
    struct raim_client *client;
    struct raim_link_traffic traffic; // but what the host counts since the last look
    uint32_t came;                    // unreliable packets, since the loss was counted
    uint16_t sequence;                // of the last of them before that
};

// The invitation counts where it is the server's; who has heard and repeats it achieves nothing.
static void take_invite(struct raim_link *link, const uint8_t *data, size_t size)
{
    struct raim_invite invite;
    const uint8_t *token = raim_client_token(link->client);
    if (token != NULL && raim_invite_read(data, size, &invite) &&
        raim_invitation_take(&link->invitations, &invite, token))
        link->is_invited = true;
}

// Puts what is in an encrypted datagram into its place; one that cannot be decrypted is nobody's.
static int open_datagram(struct raim_link *link, ENetHost *host)
{
    uint8_t opened[MAX_DATAGRAM];
    const size_t size = host->receivedDataLength;
    const size_t left =
        size <= sizeof opened
            ? raim_connector_decrypt(link->connector, host->receivedData, size, opened)
            : 0;
    memcpy(host->receivedData, opened, left);
    host->receivedDataLength = left;
    return left > 0 ? 0 : 1;
}

// Sees every datagram before ENet does. The only peer's data is the link.
static int take_datagram(ENetHost *host, ENetEvent *event)
{
    (void)event;
    struct raim_link *link = host->peers[0].data;
    const uint8_t *data = host->receivedData;
    const size_t size = host->receivedDataLength;
    if (size > link->traffic.largest_datagram)
        link->traffic.largest_datagram = size;
    const enum raim_connectionless_kind kind = raim_connectionless_kind(data, size);
    if (kind == RAIM_CONNECTIONLESS_NONE)
        return raim_connector_is_secure(link->connector) ? open_datagram(link, host) : 0;
    if (host->receivedAddress.host != link->address.host ||
        host->receivedAddress.port != link->address.port)
        return 1;
    if (kind == RAIM_CONNECTIONLESS_INVITE)
        take_invite(link, data, size);
    else
        raim_connector_receive(link->connector, raim_link_now_us(), data, size);
    return 1;
}

// ENet's own counters have 32 bits.
static void take_traffic(struct raim_link *link)
{
    if (link->host == NULL)
        return;
    link->traffic.bytes_down += link->host->totalReceivedData;
    link->traffic.bytes_up += link->host->totalSentData;
    link->host->totalReceivedData = 0;
    link->host->totalSentData = 0;
}

static void drop(struct raim_link *link)
{
    take_traffic(link);
    if (link->host != NULL)
        enet_host_destroy(link->host);
    link->host = NULL;
    link->peer = NULL;
    link->is_connecting = false;
    raim_connector_stop(link->connector);
}

// What ENet sends goes through a connector while it is asked to send by these.
static _Thread_local struct raim_connector *serving;

static int service(struct raim_link *link, ENetEvent *event)
{
    serving = link->connector;
    const int status = enet_host_service(link->host, event, 0);
    serving = NULL;
    return status;
}

static void flush(struct raim_link *link)
{
    serving = link->connector;
    enet_host_flush(link->host);
    serving = NULL;
}

// These may send at once, where the connection is still being made.
static void disconnect(struct raim_link *link, uint32_t reason)
{
    serving = link->connector;
    enet_peer_disconnect(link->peer, reason);
    serving = NULL;
}

static void disconnect_later(struct raim_link *link)
{
    serving = link->connector;
    enet_peer_disconnect_later(link->peer, RAIM_REASON_LEFT);
    serving = NULL;
}

static void disconnect_now(struct raim_link *link)
{
    serving = link->connector;
    enet_peer_disconnect_now(link->peer, RAIM_REASON_LEFT);
    serving = NULL;
}

// Sends what is due before there is a connection. What cannot be sent is lost.
static void send_connecting(struct raim_link *link)
{
    uint8_t bytes[RAIM_CONNECTIONLESS_BYTES];
    const ENetBuffer buffer = {
        .data = bytes,
        .dataLength = raim_connector_send(link->connector, raim_link_now_us(), bytes),
    };
    if (buffer.dataLength > 0 &&
        enet_socket_send(link->host->socket, &link->address, &buffer, 1) > 0)
        link->traffic.bytes_up += buffer.dataLength;
}

// From ENet's own socket, so that whatever translates addresses on the way lets the answers to
// both through the same door.
static bool begin_connection(struct raim_link *link)
{
    drop(link);
    link->came = 0;
    link->sequence = 0;
    link->host = enet_host_create(NULL, 1, CHANNELS, 0, 0);
    if (link->host == NULL)
        return false;
    link->host->peers[0].mtu = MTU; // ENet offers the peer's, which was set before ours
    link->host->peers[0].data = link;
    link->host->intercept = take_datagram;
    raim_connector_begin(link->connector, raim_client_token(link->client), raim_link_now_us());
    link->is_connecting = true;
    send_connecting(link);
    return true;
}

// Ends the client before it was connected, as a GOODBYE would.
static void end_refused(struct raim_link *link, uint32_t reason, const char *text)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_goodbye goodbye = {.reason = reason};
    strncpy(goodbye.text, text, sizeof goodbye.text - 1);
    raim_client_receive(link->client, raim_link_now_us(), bytes,
                        raim_goodbye_write(&goodbye, bytes, sizeof bytes));
    link->is_connecting = false;
}

// A server that shows another key, or none, is not waited for at first; whoever has a session goes
// on trying.
static void give_up_doubtful(struct raim_link *link)
{
    uint8_t key[RAIM_KEY_BYTES];
    const enum raim_connector_doubt doubt =
        raim_connector_doubt(link->connector, raim_link_now_us(), key);
    if (doubt == RAIM_CONNECTOR_NO_DOUBT ||
        raim_client_state(link->client) != RAIM_CLIENT_CONNECTING)
        return;
    end_refused(link, RAIM_REASON_LOST,
                doubt == RAIM_CONNECTOR_OTHER_KEY
                    ? "the server shows another key than the one that is known"
                    : "the server offers no encryption");
}

// Connects once the connector is ready.
static void go_on_connecting(struct raim_link *link)
{
    ENetEvent event;
    service(link, &event);
    send_connecting(link);
    if (raim_connector_state(link->connector) == RAIM_CONNECTOR_READY) {
        link->is_connecting = false;
        link->ready_us = raim_link_now_us();
        link->peer = enet_host_connect(link->host, &link->address, CHANNELS,
                                       raim_connector_cookie(link->connector));
        flush(link);
    } else if (raim_connector_state(link->connector) == RAIM_CONNECTOR_REFUSED) {
        const struct raim_refused *refusal = raim_connector_refusal(link->connector);
        end_refused(link, refusal->reason, refusal->text);
    } else {
        give_up_doubtful(link);
    }
    take_traffic(link);
}

uint32_t raim_link_read_access(const char *text, uint8_t *access, size_t capacity)
{
    return (uint32_t)raim_crypto_decode(text, access, capacity);
}

// The server's key is that of the def, or else of the access token, which whoever signed it knows.
static struct raim_connector *create_connector(const struct raim_client_def *def)
{
    struct raim_access access = {0};
    const bool reads =
        def->access_size > 0 && raim_access_read(def->access, def->access_size, &access) > 0;
    const struct raim_connector_def connector = {
        .require_encryption = def->require_encryption,
        .server_key = reads && access.has_key ? access.key : def->server_key,
        .access = def->access,
        .access_size = def->access_size,
    };
    return raim_connector_create(&connector);
}

struct raim_link *raim_link_open(const char *host, uint16_t port, const struct raim_client_def *def)
{
    struct raim_link *link = calloc(1, sizeof *link);
    if (link == NULL)
        return NULL;
    link->address.port = port;
    link->connector = create_connector(def);
    link->client = raim_client_create(def);
    if (link->connector == NULL || link->client == NULL || enet_initialize() != 0 ||
        enet_address_set_host(&link->address, host) != 0 ||
        !raim_client_wants_connection(link->client, raim_link_now_us()) ||
        !begin_connection(link)) {
        raim_link_close(link);
        return NULL;
    }
    return link;
}

void raim_link_close(struct raim_link *link)
{
    if (link == NULL)
        return;
    if (link->peer != NULL)
        disconnect_now(link);
    if (link->connector != NULL)
        drop(link);
    raim_connector_destroy(link->connector);
    raim_client_destroy(link->client);
    free(link);
}

struct raim_client *raim_link_client(struct raim_link *link)
{
    return link->client;
}

uint64_t raim_link_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void send_message(struct raim_link *link, bool reliable, const uint8_t *data, size_t size)
{
    if (size == 0 || link->peer == NULL)
        return;
    ENetPacket *packet = enet_packet_create(data, size, reliable ? ENET_PACKET_FLAG_RELIABLE : 0);
    if (packet == NULL)
        return; // out of memory is a lost packet
    if (enet_peer_send(link->peer, reliable ? RELIABLE : UNRELIABLE, packet) != 0)
        enet_packet_destroy(packet);
}

static void handle(struct raim_link *link, const ENetEvent *event)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client *client = link->client;
    const uint64_t now_us = raim_link_now_us();
    switch (event->type) {
    case ENET_EVENT_TYPE_CONNECT:
        enet_peer_throttle_configure(link->peer, THROTTLE_INTERVAL_MS, THROTTLE_ACCELERATION,
                                     THROTTLE_DECELERATION);
        send_message(link, true, bytes,
                     raim_client_write_hello(client, now_us, bytes, sizeof bytes));
        break;
    case ENET_EVENT_TYPE_RECEIVE:
        link->came += event->channelID == UNRELIABLE;
        // A client that cannot play where it was welcomed has ended by itself: its place is freed.
        if (!raim_client_receive(client, now_us, event->packet->data, event->packet->dataLength) &&
            raim_client_state(client) == RAIM_CLIENT_ENDED)
            disconnect(link, raim_client_end(client).reason);
        enet_packet_destroy(event->packet);
        break;
    case ENET_EVENT_TYPE_DISCONNECT:
        link->peer = NULL;
        raim_client_disconnected(client, now_us, event->data);
        break;
    case ENET_EVENT_TYPE_NONE:
        break;
    }
}

// ENet numbers the unreliable packets of a channel, from 1 on, modulo 2^16.
static void count_loss(struct raim_link *link)
{
    if (link->peer == NULL || link->peer->channelCount <= UNRELIABLE)
        return;
    const uint16_t sequence = link->peer->channels[UNRELIABLE].incomingUnreliableSequenceNumber;
    const uint32_t sent = (uint16_t)(sequence - link->sequence);
    // A server may leave packets without a number.
    if (link->came <= sent)
        raim_client_count_loss(link->client, link->came, sent);
    link->sequence = sequence;
    link->came = 0;
}

// Whether the first connection is to be begun anew; a resumed one is in any case.
static bool is_stuck(const struct raim_link *link)
{
    return link->peer != NULL && link->peer->state == ENET_PEER_STATE_CONNECTING &&
           raim_connector_is_secure(link->connector) &&
           raim_client_state(link->client) == RAIM_CLIENT_CONNECTING &&
           raim_link_now_us() - link->ready_us >= connect_us;
}

void raim_link_service(struct raim_link *link)
{
    // Datagrams come in with the first call; an error on one of them must not hide the others.
    ENetEvent event;
    if (link->peer != NULL) {
        for (int more = service(link, &event); more > 0;
             more = enet_host_check_events(link->host, &event))
            handle(link, &event);
        flush(link);
        count_loss(link);
        take_traffic(link);
    }
    if (link->is_connecting)
        go_on_connecting(link);
    if (link->is_invited) {
        link->is_invited = false;
        raim_client_disconnected(link->client, raim_link_now_us(), RAIM_REASON_LOST);
    }
    // Only now: what has just arrived may have broken a silence.
    if (raim_client_wants_connection(link->client, raim_link_now_us()) || is_stuck(link))
        begin_connection(link); // where that fails, it is tried again like any connection
    if (raim_client_state(link->client) == RAIM_CLIENT_ENDED)
        link->is_connecting = false;
    if (link->peer != NULL && raim_client_end(link->client).reason == RAIM_REASON_LOST) {
        disconnect_now(link);
        link->peer = NULL;
    }
}

bool raim_link_is_due(const struct raim_link *link)
{
    return raim_client_is_due(link->client, raim_link_now_us());
}

void raim_link_press(struct raim_link *link, const raim_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    send_message(link, false, bytes,
                 raim_client_press(link->client, raim_link_now_us(), input, bytes, sizeof bytes));
    if (link->peer != NULL)
        flush(link);
}

void raim_link_say(struct raim_link *link, const char *text)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    send_message(link, true, bytes,
                 raim_client_write_chat(link->client, text, bytes, sizeof bytes));
}

void raim_link_leave(struct raim_link *link)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const size_t size = raim_client_write_goodbye(link->client, bytes, sizeof bytes);
    if (link->peer == NULL)
        return;
    send_message(link, true, bytes, size);
    disconnect_later(link);
    flush(link);
    // A connection that was still being made is gone at once, without an event.
    if (link->peer->state == ENET_PEER_STATE_DISCONNECTED)
        link->peer = NULL;
}

bool raim_link_is_open(const struct raim_link *link)
{
    return link->peer != NULL || raim_client_state(link->client) != RAIM_CLIENT_ENDED;
}

uint32_t raim_link_ping_ms(const struct raim_link *link)
{
    return link->peer != NULL ? link->peer->roundTripTime : 0;
}

struct raim_link_traffic raim_link_traffic(const struct raim_link *link)
{
    struct raim_link_traffic traffic = link->traffic;
    if (link->host != NULL) {
        traffic.bytes_down += link->host->totalReceivedData;
        traffic.bytes_up += link->host->totalSentData;
    }
    return traffic;
}

bool raim_link_server_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES])
{
    return raim_connector_server_key(link->connector, key) &&
           raim_connector_is_secure(link->connector);
}

bool raim_link_other_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES])
{
    return raim_connector_doubt(link->connector, raim_link_now_us(), key) ==
           RAIM_CONNECTOR_OTHER_KEY;
}

// --- What libenet calls ---

static int send_parts(ENetSocket socket, const ENetAddress *address, struct iovec *parts,
                      size_t count)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    struct msghdr header = {.msg_iov = parts, .msg_iovlen = count};
    if (address != NULL) {
        to.sin_addr.s_addr = address->host;
        to.sin_port = htons(address->port);
        header.msg_name = &to;
        header.msg_namelen = sizeof to;
    }
    const ssize_t sent = sendmsg(socket, &header, MSG_NOSIGNAL);
    if (sent < 0)
        return errno == EWOULDBLOCK ? 0 : -1;
    return (int)sent;
}

int enet_socket_send(ENetSocket socket, const ENetAddress *address, const ENetBuffer *buffers,
                     size_t count)
{
    if (serving == NULL || !raim_connector_is_secure(serving))
        return send_parts(socket, address, (struct iovec *)buffers, count);
    uint8_t plain[MTU], encrypted[MAX_DATAGRAM];
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].dataLength > sizeof plain - size)
            return 0; // larger than any that a server takes
        memcpy(plain + size, buffers[i].data, buffers[i].dataLength);
        size += buffers[i].dataLength;
    }
    struct iovec part = {
        encrypted, raim_connector_encrypt(serving, raim_link_now_us(), plain, size, encrypted)};
    return send_parts(socket, address, &part, 1);
}
