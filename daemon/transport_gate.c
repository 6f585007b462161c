// SPDX-License-Identifier: MIT
// Judges datagrams by their bytes, by the gate, and by who else is there.
#define _GNU_SOURCE // what batch.h is made of
#include "transport_inside.h"

#include <arpa/inet.h>
#include <enet/enet.h>

enum {
    // For who has connected, to say something, before somebody else may need the place.
    PATIENCE_MS = 1000,
};

static struct query_source source_of(const ENetAddress *address)
{
    return (struct query_source){.address = address->host, .port = address->port};
}

int transport_refuse(struct transport *transport, enum datagram_verdict reason)
{
    transport->stats.refused[reason]++;
    return 1;
}

// Listens to somebody without a connection. For a query that is to be answered by others the event
// is made to end the service: it comes from no peer.
static int hear(struct transport *transport, const ENetHost *host, ENetEvent *event)
{
    struct gate_answer answer;
    const struct query_source from = source_of(&host->receivedAddress);
    gate_hear(&transport->gate, from, host->receivedData, host->receivedDataLength,
              transport_now_us(), &answer);
    switch (answer.verdict) {
    case GATE_REFUSED:
        return transport_refuse(transport, answer.refusal);
    case GATE_DROPPED:
        transport->stats.queries_limited++;
        break;
    case GATE_TOLD:
        transport_reply(transport, from, answer.reply, answer.size);
        break;
    case GATE_ANSWERED:
        transport_send_to(transport, from, answer.reply, answer.size);
        break;
    case GATE_ASKED:
        transport->query = answer.query;
        event->type = ENET_EVENT_TYPE_RECEIVE;
        event->peer = NULL;
        // Queries must not use up what reads the datagrams of those who play; their own rate
        // bounds them.
        transport->services_left++;
        break;
    }
    return 1;
}

// Whether a peer holds a place for nothing: it has left our answer to its CONNECT unacknowledged
// for longer than a round trip takes, or has nothing to say.
static bool is_idle(const struct transport *transport, const ENetPeer *peer)
{
    const struct transport_slot *slot = &transport->slots[peer - transport->host->peers];
    if (peer->state == ENET_PEER_STATE_ACKNOWLEDGING_CONNECT)
        return peer->earliestTimeout != 0;
    return peer->state == ENET_PEER_STATE_CONNECTED && slot->present && !slot->dropped &&
           !slot->heard && transport_now_us() / 1000 - slot->since_ms >= PATIENCE_MS;
}

// Makes an idle peer's place free: at once, or, where DISCONNECTED must be told first, for the
// newcomer's next CONNECT, which ENet sends by itself.
static bool take_place(struct transport *transport, ENetPeer *peer)
{
    struct transport_slot *slot = &transport->slots[peer - transport->host->peers];
    if (!slot->present) {
        enet_peer_reset(peer);
        return true;
    }
    slot->dropped = true;
    transport->dropped++;
    return false;
}

// Whether the address of a CONNECT and its network may have another connection. Walks all peers,
// as ENet does next.
static bool has_room(struct transport *transport, const ENetAddress *from, uint32_t id)
{
    const struct gate_limits *limits = &transport->gate.limits;
    const uint32_t network = htonl(UINT32_MAX << (32 - RATE_OF_NETWORK));
    uint32_t of_address = 0, of_network = 0;
    ENetPeer *idle_of_address = NULL, *idle_of_network = NULL;
    if (!gate_is_limited(&transport->gate, from->host))
        return true;
    for (size_t i = 0; i < transport->host->peerCount; i++) {
        ENetPeer *peer = &transport->host->peers[i];
        if (peer->state == ENET_PEER_STATE_DISCONNECTED ||
            ((peer->address.host ^ from->host) & network) != 0)
            continue;
        const bool is_same = peer->address.host == from->host;
        // A repetition; ENet knows it.
        if (is_same && peer->address.port == from->port && peer->connectID == id)
            return true;
        const bool idle = is_idle(transport, peer);
        of_network++;
        idle_of_network = idle ? peer : idle_of_network;
        of_address += is_same;
        idle_of_address = idle && is_same ? peer : idle_of_address;
    }
    if (of_address >= limits->connections_per_address)
        return idle_of_address != NULL && take_place(transport, idle_of_address);
    if (of_network >= limits->connections_per_network)
        return idle_of_network != NULL && take_place(transport, idle_of_network);
    return true;
}

// A sealed session has just begun anew from there: nobody can speak for the peers of the one
// before, and what they are still told would not be for who comes now.
static void drop_predecessors(struct transport *transport, const ENetAddress *from, uint32_t id)
{
    for (size_t i = 0; i < transport->host->peerCount; i++) {
        ENetPeer *peer = &transport->host->peers[i];
        if (peer->state != ENET_PEER_STATE_DISCONNECTED && peer->connectID != id &&
            peer->address.host == from->host && peer->address.port == from->port &&
            !transport->slots[i].dropped)
            take_place(transport, peer);
    }
}

static int admit(struct transport *transport, ENetHost *host, struct datagram_connect connect)
{
    const ENetAddress *from = &host->receivedAddress;
    const enum datagram_verdict verdict =
        gate_admit(&transport->gate, source_of(from), connect, transport_now_us());
    if (verdict != DATAGRAM_OK)
        return transport_refuse(transport, verdict);
    if (transport->seals != NULL)
        drop_predecessors(transport, from, connect.id);
    if (!has_room(transport, from, connect.id))
        return transport_refuse(transport, DATAGRAM_CONNECTIONS);
    // ENet 1.3.17 adopts whatever MTU a client's CONNECT names, and tells it back. A larger one
    // than ours would outgrow our batches, a smaller one would turn snapshots into reliable
    // fragments. A client that wished for less sends no more than it wished.
    datagram_set_mtu(host->receivedData, TRANSPORT_MTU);
    return 0;
}

int transport_judge(struct transport *transport, ENetHost *host, ENetEvent *event)
{
    struct datagram_connect connect;
    const enum datagram_verdict verdict =
        transport->opening != DATAGRAM_OK
            ? transport->opening
            : datagram_check(host->receivedData, host->receivedDataLength);
    if (verdict == DATAGRAM_CONNECTIONLESS)
        return hear(transport, host, event);
    if (verdict != DATAGRAM_OK)
        return transport_refuse(transport, verdict);
    if (datagram_is_connect(host->receivedData, host->receivedDataLength, &connect))
        return admit(transport, host, connect);
    return 0;
}
