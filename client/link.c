// SPDX-License-Identifier: MIT
// Moves a client's messages over ENet.
#include "link.h"

#include "message.h"

#include <enet/enet.h>
#include <stdlib.h>

// ENet's throttle would drop inputs whenever a tick's worth of waiting looks like congestion; so
// it gets a long interval, full acceleration and no deceleration.
enum { THROTTLE_INTERVAL_MS = 5000, THROTTLE_ACCELERATION = 32, THROTTLE_DECELERATION = 0 };
enum { MTU = 1200, CHANNELS = 2, RELIABLE = 0, UNRELIABLE = 1 };

struct raim_link {
    ENetHost *host;
    ENetPeer *peer;
    struct raim_client *client;
    uint32_t deadline_ms; // for the connection to be made, enet_time_get's clock
    uint64_t largest_datagram;
};

// Sees every datagram before ENet does. The only peer's data is the link.
static int measure_datagram(ENetHost *host, ENetEvent *event)
{
    (void)event;
    struct raim_link *link = host->peers[0].data;
    if (host->receivedDataLength > link->largest_datagram)
        link->largest_datagram = host->receivedDataLength;
    return 0;
}

struct raim_link *raim_link_open(const char *host, uint16_t port, const struct raim_client_def *def,
                                 uint32_t timeout_ms)
{
    ENetAddress address = {.port = port};
    struct raim_link *link = calloc(1, sizeof *link);
    if (link == NULL)
        return NULL;
    link->client = raim_client_create(def);
    if (link->client == NULL || enet_initialize() != 0 ||
        enet_address_set_host(&address, host) != 0)
        goto failed;
    link->host = enet_host_create(NULL, 1, CHANNELS, 0, 0);
    if (link->host == NULL)
        goto failed;
    link->host->peers[0].mtu = MTU; // ENet offers the peer's, which was set before ours
    link->peer = enet_host_connect(link->host, &address, CHANNELS, 0);
    if (link->peer == NULL)
        goto failed;
    link->host->peers[0].data = link;
    link->host->intercept = measure_datagram;
    link->deadline_ms = enet_time_get() + timeout_ms;
    return link;

failed:
    raim_link_close(link);
    return NULL;
}

void raim_link_close(struct raim_link *link)
{
    if (link == NULL)
        return;
    if (link->peer != NULL)
        enet_peer_disconnect_now(link->peer, RAIM_REASON_LEFT);
    if (link->host != NULL)
        enet_host_destroy(link->host);
    raim_client_destroy(link->client);
    free(link);
}

struct raim_client *raim_link_client(struct raim_link *link)
{
    return link->client;
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
    switch (event->type) {
    case ENET_EVENT_TYPE_CONNECT:
        enet_peer_throttle_configure(link->peer, THROTTLE_INTERVAL_MS, THROTTLE_ACCELERATION,
                                     THROTTLE_DECELERATION);
        send_message(link, true, bytes, raim_client_write_hello(link->client, bytes, sizeof bytes));
        break;
    case ENET_EVENT_TYPE_RECEIVE:
        // A client that cannot play where it was welcomed has ended by itself: its place is freed.
        if (!raim_client_receive(link->client, event->packet->data, event->packet->dataLength) &&
            raim_client_state(link->client) == RAIM_CLIENT_ENDED)
            enet_peer_disconnect(link->peer, raim_client_end(link->client).reason);
        enet_packet_destroy(event->packet);
        break;
    case ENET_EVENT_TYPE_DISCONNECT:
        link->peer = NULL;
        raim_client_disconnected(link->client, event->data);
        break;
    case ENET_EVENT_TYPE_NONE:
        break;
    }
}

void raim_link_service(struct raim_link *link)
{
    if (link->peer == NULL)
        return;
    // Datagrams come in with the first call; an error on one of them must not hide the others.
    ENetEvent event;
    for (int more = enet_host_service(link->host, &event, 0); more > 0;
         more = enet_host_check_events(link->host, &event))
        handle(link, &event);
    enet_host_flush(link->host);
    if (raim_client_state(link->client) == RAIM_CLIENT_CONNECTING &&
        (int32_t)(enet_time_get() - link->deadline_ms) > 0) {
        enet_peer_reset(link->peer);
        link->peer = NULL;
        raim_client_disconnected(link->client, RAIM_REASON_LOST);
    }
}

void raim_link_press(struct raim_link *link, const raim_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    send_message(link, false, bytes, raim_client_press(link->client, input, bytes, sizeof bytes));
    if (link->peer != NULL)
        enet_host_flush(link->host);
}

void raim_link_leave(struct raim_link *link)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    if (link->peer == NULL)
        return;
    send_message(link, true, bytes, raim_client_write_goodbye(link->client, bytes, sizeof bytes));
    enet_peer_disconnect_later(link->peer, RAIM_REASON_LEFT);
    enet_host_flush(link->host);
}

bool raim_link_is_open(const struct raim_link *link)
{
    return link->peer != NULL;
}

uint32_t raim_link_ping_ms(const struct raim_link *link)
{
    return link->peer != NULL ? link->peer->roundTripTime : 0;
}

struct raim_link_traffic raim_link_traffic(const struct raim_link *link)
{
    return (struct raim_link_traffic){
        .bytes_down = link->host->totalReceivedData,
        .bytes_up = link->host->totalSentData,
        .largest_datagram = link->largest_datagram,
    };
}
