// SPDX-License-Identifier: MIT
// Exchanges the messages of peers through an ENet host, on batched sockets and by a monotonic
// clock.
#define _GNU_SOURCE // recvmmsg, sendmmsg
#include "transport.h"

#include "enet_carrier.h"
#include "gateways.h"
#include "monotonic.h"
#include "secure_sessions.h"
#include "transport_admission.h"
#include "transport_budget.h"
#include "transport_datagrams.h"
#include "transport_direct.h"

#include <assert.h>
#include <enet/enet.h>
#include <sys/socket.h>

#define STATS(member) METRIC_OF(struct transport_stats, member)

static const struct metric stats_rows[] = {
    {"bytes_in", "raimd_received_bytes_total", "UDP payload bytes received.", METRIC_COUNTER,
     STATS(bytes_in), .column = "bytes_in_s", .is_rate = true},
    {"bytes_out", "raimd_sent_bytes_total", "UDP payload bytes sent.", METRIC_COUNTER,
     STATS(bytes_out), .column = "bytes_out_s", .is_rate = true},
    {"packets_in", "raimd_received_packets_total", "Datagrams received.", METRIC_COUNTER,
     STATS(packets_in)},
    {"packets_out", "raimd_sent_packets_total", "Datagrams sent.", METRIC_COUNTER,
     STATS(packets_out)},
    {NULL, "raimd_send_errors_total", "Datagrams that the kernel did not accept for sending.",
     METRIC_COUNTER, STATS(send_errors)},
    {NULL, "raimd_slow_peers_total", "Peers disconnected because too much data was unacknowledged.",
     METRIC_COUNTER, STATS(overflows)},
    {"announcements", "raimd_announcements_total",
     "Announcements of gateways, each of a player's address, that were taken.", METRIC_COUNTER,
     STATS(announcements)},
    {"queries", "raimd_queries_total", "Server browser queries answered.", METRIC_COUNTER,
     STATS(queries)},
    {"queries_limited", "raimd_limited_queries_total",
     "Server browser queries dropped by the rate limit.", METRIC_COUNTER, STATS(queries_limited)},
};

const struct metric_table transport_metrics = {METRIC_ROWS(stats_rows)};

enum {
    // Calls of ENet's service per tick, each of which reads up to ENET_QUEUE_DATAGRAMS. This many
    // calls empty a socket buffer of 4 MB full of small datagrams, and the limit ends a tick in a
    // flood.
    SERVICES_PER_RECEIVE = 40,
    // ENet's three timeout parameters: a peer that acknowledges nothing is dropped.
    TIMEOUT_LIMIT = 32,
    TIMEOUT_MIN_MS = 5000,
    TIMEOUT_MAX_MS = 15000,
    // Interval of pings to a peer that has nothing else to acknowledge. They give transport_rtt_ms
    // several samples per second, for 16 bytes a second more. A ping shares the datagram of the
    // first message after the interval; if there is none, ENet sends it alone at the latest.
    PING_INTERVAL_MS = 250,
    PING_LATEST_MS = 350,
    // Interval of ENet's services while there is no connection and no datagram waits for ENet.
    IDLE_SERVICE_MS = 50,
    SWEEP_SESSIONS_MS = 1000,
    // Disable ENet's throttle, which takes the wait for a tick for congestion.
    THROTTLE_INTERVAL_MS = 5000,
    THROTTLE_ACCELERATION = ENET_PEER_PACKET_THROTTLE_SCALE,
    THROTTLE_DECELERATION = 0,
};

static_assert(sizeof(ENetProtocolHeader) + sizeof(ENetProtocolSendFragment) +
                      RAIM_ENET_CARRIER_GAP <=
                  RAIM_DATAGRAM_HEADERS_BYTES,
              "ENet would fragment a message");

static int64_t now_ms(void)
{
    return monotonic_ms();
}

static void release_message(struct transport *transport)
{
    if (transport->message != NULL) {
        enet_packet_destroy(transport->message);
        transport->message = NULL;
    }
}

uint16_t transport_port(const struct transport *transport)
{
    return transport->port;
}

static void sweep_sessions_when_due(struct transport *transport)
{
    if ((transport->sessions != NULL || transport->gateways != NULL) &&
        transport->now_ms - transport->swept_ms >= SWEEP_SESSIONS_MS)
        transport_sweep_sessions(transport);
}

void transport_skip_receive(struct transport *transport)
{
    transport->receives++; // budgets are refilled by this count
    transport->now_ms = now_ms();
    sweep_sessions_when_due(transport);
}

bool transport_is_quiet(const struct transport *transport)
{
    const ENetHost *host = transport->host;
    bool is_quiet = transport->present == 0 && transport->dropped == 0;
    for (size_t i = 0; is_quiet && i < host->peerCount; i++)
        is_quiet = host->peers[i].state == ENET_PEER_STATE_DISCONNECTED;
    return is_quiet;
}

int transport_socket(const struct transport *transport)
{
    return transport->socket;
}

void transport_receive(struct transport *transport)
{
    transport->drained = transport->is_serviced = false;
    transport->services_left = SERVICES_PER_RECEIVE;
    transport_begin_receive(transport);
    sweep_sessions_when_due(transport);
    transport_prefetch_peers(transport);
}

void transport_flush(struct transport *transport)
{
    transport->now_ms = now_ms();
    if (transport->has_outgoing) {
        transport_set_clock();
        enet_host_flush(transport->host);
    }
    transport->has_outgoing = false;
    transport_send_batch(transport);
}

static void mark_connected(struct transport *transport, ENetPeer *peer, struct transport_slot *slot)
{
    slot->present = true;
    slot->is_admitted = false;
    slot->since_ms = now_ms();
    transport->present++;
    transport->has_outgoing = true;
    enet_peer_ping_interval(peer, PING_LATEST_MS);
    enet_peer_timeout(peer, TIMEOUT_LIMIT, TIMEOUT_MIN_MS, TIMEOUT_MAX_MS);
    // This is sent to the peer and keeps its own throttle from dropping its inputs, in any client
    // that uses ENet. transport_send keeps the server's throttle open.
    enet_peer_throttle_configure(peer, THROTTLE_INTERVAL_MS, THROTTLE_ACCELERATION,
                                 THROTTLE_DECELERATION);
}

static void mark_disconnected(struct transport *transport, struct transport_slot *slot)
{
    slot->present = false;
    transport->present--;
    transport->dropped -= slot->dropped;
    slot->dropped = false;
}

// Returns DISCONNECTED for one dropped peer. Called before anything is read, because a CONNECT
// could reuse the peer's slot.
static struct transport_event take_dropped(struct transport *transport)
{
    uint32_t peer = 0;
    while (!transport->slots[peer].dropped)
        peer++;
    mark_disconnected(transport, &transport->slots[peer]);
    return (struct transport_event){.kind = TRANSPORT_DISCONNECTED, .peer = peer};
}

// Converts ENet's event; TRANSPORT_NONE for one that the caller must not see.
static struct transport_event translate(struct transport *transport, const ENetEvent *event)
{
    const uint32_t peer = (uint32_t)(event->peer - transport->host->peers);
    struct transport_slot *slot = &transport->slots[peer];
    switch (event->type) {
    case ENET_EVENT_TYPE_CONNECT:
        mark_connected(transport, event->peer, slot);
        return (struct transport_event){
            .kind = TRANSPORT_CONNECTED,
            .peer = peer,
            .channels = (uint8_t)event->peer->channelCount,
        };
    case ENET_EVENT_TYPE_DISCONNECT:
        if (!slot->present)
            break;
        mark_disconnected(transport, slot);
        return (struct transport_event){.kind = TRANSPORT_DISCONNECTED, .peer = peer};
    case ENET_EVENT_TYPE_RECEIVE:
        transport->message = event->packet;
        if (event->channelID != CHANNEL_RELIABLE && !transport_admit_input(transport, slot)) {
            release_message(transport);
            break;
        }
        return (struct transport_event){
            .kind = TRANSPORT_MESSAGE,
            .peer = peer,
            .reliable = event->channelID == CHANNEL_RELIABLE,
            .data = event->packet->data,
            .size = event->packet->dataLength,
        };
    case ENET_EVENT_TYPE_NONE:
        break;
    }
    return (struct transport_event){.kind = TRANSPORT_NONE};
}

// Returns an event that ENet has queued.
static bool take_enet_event(struct transport *transport, struct transport_event *event)
{
    ENetHost *host = transport->host;
    ENetEvent enet_event;
    while (!enet_list_empty(&host->dispatchQueue) &&
           enet_host_check_events(host, &enet_event) > 0) {
        *event = translate(transport, &enet_event);
        if (event->kind != TRANSPORT_NONE)
            return true;
    }
    return false;
}

// Judges the next datagram of the batch. True if it causes an event; other datagrams are answered,
// rejected, or queued for ENet.
static bool take_datagram(struct transport *transport, struct transport_event *event)
{
    struct received datagram;
    enum datagram_verdict verdict = transport_next_datagram(transport, &datagram);
    struct datagram_message message;
    const bool is_message =
        verdict == DATAGRAM_OK && datagram_read_message(datagram.data, datagram.size, &message);
    if (verdict == DATAGRAM_OK && !is_message)
        verdict = datagram_check(datagram.data, datagram.size);
    if (verdict == DATAGRAM_CONNECTIONLESS) {
        *event = (struct transport_event){
            .kind = TRANSPORT_QUERY,
            .query = transport_receive_connectionless(transport, &datagram),
            .from = datagram.from,
            .data = datagram.data,
            .size = datagram.size,
        };
        return event->query != QUERY_NONE;
    }
    if (verdict != DATAGRAM_OK) {
        transport_reject(transport, verdict);
        return false;
    }
    const ENetPeer *peer = transport_find_sender(transport, datagram.data, datagram.from);
    struct datagram_connect connect;
    if (peer == NULL) {
        // ENet ignores everything else.
        if (datagram_is_connect(datagram.data, datagram.size, &connect))
            enet_queue_add(&transport->queue, &datagram);
        return false;
    }
    const uint32_t index = (uint32_t)(peer - transport->host->peers);
    switch (is_message ? transport_receive_direct(transport, peer, &message) : DIRECT_LEFT) {
    case DIRECT_LEFT:
        transport->slots[index].fill = transport->queue.fills;
        enet_queue_add(&transport->queue, &datagram);
        return false;
    case DIRECT_REJECTED:
        return false;
    case DIRECT_MESSAGE:
        break;
    }
    *event = (struct transport_event){
        .kind = TRANSPORT_MESSAGE,
        .peer = index,
        .data = message.data,
        .size = message.size,
    };
    return true;
}

// Services ENet with the datagrams that wait for it. True if that causes an event.
static bool service(struct transport *transport, struct transport_event *event)
{
    ENetHost *host = transport->host;
    ENetEvent enet_event;
    transport->services_left--;
    transport->is_serviced = true;
    transport->serviced_ms = transport->now_ms;
    // ENet queues acknowledgements and answers for its next flush.
    transport->has_outgoing |= !enet_queue_is_empty(&transport->queue);
    // Postpones ENet's bandwidth throttle, because the server has no bandwidth limit. ENet would
    // otherwise send every peer a reliable BANDWIDTH_LIMIT once a second after a peer came or left,
    // and apply the peers' own limits.
    transport_set_clock();
    host->bandwidthThrottleEpoch = enet_time_get();
    // Given an event to fill, ENet connects a peer as soon as it reads the acknowledgement of the
    // handshake. Without one it would connect the peer later and drop the rest of the datagram,
    // usually the client's first message, which would be resent half a second later.
    const int status = raim_enet_carrier_service(transport->carrier, &enet_event);
    // A negative status is not an error: ENet has read every datagram.
    if (status <= 0)
        return false;
    *event = translate(transport, &enet_event);
    return event->kind != TRANSPORT_NONE;
}

// Whether ENet is serviced in this receive, for its pings, resends and timeouts, although no
// datagram waits for it. Every service walks all peers.
static bool needs_service(const struct transport *transport)
{
    return !transport->is_serviced &&
           (transport->present > 0 ||
            transport->now_ms - transport->serviced_ms >= IDLE_SERVICE_MS);
}

static bool next_event(struct transport *transport, struct transport_event *event)
{
    const struct batch *in = &transport->in;
    for (;;) {
        if (take_enet_event(transport, event))
            return true;
        const bool is_empty = in->next == in->count;
        if (!is_empty && enet_queue_has_room(&transport->queue) && transport_has_time(transport)) {
            if (take_datagram(transport, event))
                return true;
        } else if (is_empty && !transport->drained && !transport->is_overtime) {
            transport->drained = !batch_receive(&transport->in, transport->socket);
        } else if (transport->services_left > 0 &&
                   (!enet_queue_is_empty(&transport->queue) || needs_service(transport))) {
            if (service(transport, event))
                return true;
        } else {
            return false;
        }
    }
}

bool transport_poll(struct transport *transport, struct transport_event *event)
{
    release_message(transport);
    if (transport->dropped > 0) {
        *event = take_dropped(transport);
        return true;
    }
    if (next_event(transport, event))
        return true;
    // Whatever was answered or resent leaves now, the rest with transport_flush.
    transport_send_batch(transport);
    *event = (struct transport_event){.kind = TRANSPORT_NONE};
    return false;
}

static void on_packet_freed(ENetPacket *packet)
{
    struct transport_slot *slot = packet->userData;
    slot->queued -= packet->dataLength;
    if ((packet->flags & ENET_PACKET_FLAG_RELIABLE) == 0)
        return;
    slot->unacknowledged--;
    slot->stalled_since_ms = now_ms();
}

// False if there was no memory for the message, or the peer has no such channel.
static bool queue_message(struct transport *transport, ENetPeer *peer, struct transport_slot *slot,
                          bool reliable, const uint8_t *data, size_t size)
{
    ENetPacket *packet = enet_packet_create(data, size, reliable ? ENET_PACKET_FLAG_RELIABLE : 0);
    if (packet == NULL)
        return false;
    transport->has_outgoing = true;
    packet->userData = slot;
    packet->freeCallback = on_packet_freed;
    slot->queued += size;
    if (reliable && slot->unacknowledged++ == 0)
        slot->stalled_since_ms = now_ms();
    if (enet_peer_send(peer, reliable ? CHANNEL_RELIABLE : CHANNEL_UNRELIABLE, packet) != 0) {
        enet_packet_destroy(packet);
        return false;
    }
    return true;
}

// Pings a peer whose ping is due, so that it shares the datagram of a message.
static void ping_if_due(struct transport *transport, ENetPeer *peer)
{
    // Negative where ENet's clock is a millisecond ahead.
    const int32_t idle_ms = (int32_t)((uint32_t)transport->now_ms - peer->lastReceiveTime);
    if (idle_ms < PING_INTERVAL_MS || !enet_list_empty(&peer->sentReliableCommands) ||
        transport_has_commands(peer))
        return;
    enet_peer_ping(peer);
    transport->has_outgoing = true;
}

void transport_send(struct transport *transport, uint32_t peer, bool reliable, const uint8_t *data,
                    size_t size)
{
    assert(peer < transport->slot_count);
    ENetPeer *to = &transport->host->peers[peer];
    struct transport_slot *slot = &transport->slots[peer];
    if (to->state != ENET_PEER_STATE_CONNECTED || slot->dropped)
        return;
    assert(size > 0 && size <= transport_message_bytes(transport, peer));
    // Replaces ENet's timeout, which any acknowledgement resets and which trusts the round trip
    // that the peer echoes.
    const bool is_stalled =
        slot->unacknowledged > 0 && now_ms() - slot->stalled_since_ms > TIMEOUT_MAX_MS;
    if (!is_stalled)
        ping_if_due(transport, to);
    if (!is_stalled && !reliable && transport_send_direct(transport, to, data, size))
        return;
    // Overrides a throttle that the peer may have configured to drop the server's messages.
    to->packetThrottle = ENET_PEER_PACKET_THROTTLE_SCALE;
    // Unreliable messages count too: ENet sends one in 65,536 reliably to renew its sequence.
    const bool queued = !is_stalled && slot->queued + size <= TRANSPORT_MAX_QUEUED &&
                        (!reliable || transport_can_send_reliable(transport, peer)) &&
                        queue_message(transport, to, slot, reliable, data, size);
    if (queued || (!reliable && !is_stalled))
        return;
    // A lost reliable message would leave a gap in the stream.
    transport->stats.overflows++;
    transport_drop(transport, to);
}

uint32_t transport_message_bytes(const struct transport *transport, uint32_t peer)
{
    assert(peer < transport->slot_count);
    return transport->host->peers[peer].mtu - RAIM_DATAGRAM_HEADERS_BYTES;
}

void transport_send_to(struct transport *transport, struct udp_address to, const uint8_t *data,
                       size_t size)
{
    transport_queue_plain(transport, to, data, size);
}

bool transport_reaches(const struct transport *transport, struct ip_address ip)
{
    return transport->out.family == AF_INET6 || ip_address_is_v4(ip);
}

void transport_reply(struct transport *transport, struct udp_address to, const uint8_t *data,
                     size_t size)
{
    transport_queue_plain(transport, to, data, size);
    transport->stats.queries++;
}

void transport_disconnect(struct transport *transport, uint32_t peer, uint32_t reason)
{
    assert(peer < transport->slot_count);
    ENetPeer *to = &transport->host->peers[peer];
    if (to->state != ENET_PEER_STATE_CONNECTED)
        return;
    enet_peer_disconnect_later(to, reason);
    transport->has_outgoing = true;
    transport_schedule_reset(transport, peer);
}

void transport_admit(struct transport *transport, uint32_t peer)
{
    assert(peer < transport->slot_count);
    transport->slots[peer].is_admitted = true;
}

uint32_t transport_peers(const struct transport *transport)
{
    return transport->present;
}

uint32_t transport_capacity(const struct transport *transport)
{
    return transport->slot_count;
}

bool transport_is_connected(const struct transport *transport, uint32_t peer)
{
    assert(peer < transport->slot_count);
    return transport->slots[peer].present;
}

bool transport_is_secure(const struct transport *transport, uint32_t peer)
{
    return transport->sessions != NULL &&
           secure_sessions_has(transport->sessions, transport_source(transport, peer));
}

bool transport_knows_password(const struct transport *transport, uint32_t peer)
{
    return transport->sessions != NULL &&
           secure_sessions_knows_password(transport->sessions, transport_source(transport, peer));
}

struct udp_address transport_source(const struct transport *transport, uint32_t peer)
{
    assert(peer < transport->slot_count);
    return transport->slots[peer].from;
}

struct udp_address transport_path(const struct transport *transport, uint32_t peer)
{
    struct udp_address path = transport_source(transport, peer);
    if (path.via != 0 && !gateways_resolve(transport->gateways, &path))
        return (struct udp_address){0};
    return path;
}

uint32_t transport_ping_ms(const struct transport *transport, uint32_t peer)
{
    assert(peer < transport->slot_count);
    return transport->host->peers[peer].roundTripTime;
}

uint32_t transport_rtt_ms(const struct transport *transport, uint32_t peer)
{
    assert(peer < transport->slot_count);
    return transport->slots[peer].present
               ? round_trip_min_ms(&transport->guards[peer].round_trip, now_ms())
               : UINT32_MAX;
}

uint32_t transport_jitter_ms(const struct transport *transport, uint32_t peer)
{
    assert(peer < transport->slot_count);
    return transport->host->peers[peer].roundTripTimeVariance;
}

const struct transport_stats *transport_stats(const struct transport *transport)
{
    return &transport->stats;
}
