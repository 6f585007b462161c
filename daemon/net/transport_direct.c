// SPDX-License-Identifier: MIT
// Reads and writes ENet's state of a peer and its unreliable channel, as ENet itself does.
#define _GNU_SOURCE // struct mmsghdr, for batch.h
#include "transport_direct.h"

#include "secure_sessions.h"
#include "transport_budget.h"
#include "transport_datagrams.h"

#include <enet/enet.h>
#include <string.h>

enum { CHANNEL = 1 }; // of unreliable messages

static void prefetch(const void *memory, size_t bytes)
{
    const uint8_t *end = (const uint8_t *)memory + bytes;
    for (const uint8_t *line = (const uint8_t *)((uintptr_t)memory & ~(uintptr_t)63); line < end;
         line += 64)
        __builtin_prefetch(line, 1);
}

// In two passes, because the second one needs what the first one loads.
void transport_prefetch_peers(const struct transport *transport)
{
    const ENetPeer *peers = transport->host->peers;
    for (uint32_t i = 0; i < transport->slot_count; i++) {
        if (!transport->slots[i].present)
            continue;
        prefetch(&peers[i], offsetof(ENetPeer, unsequencedWindow));
        prefetch(&peers[i].totalWaitingData, sizeof peers[i].totalWaitingData);
        prefetch(&transport->guards[i], offsetof(struct peer_guard, round_trip));
    }
    for (uint32_t i = 0; i < transport->slot_count; i++) {
        if (!transport->slots[i].present)
            continue;
        if (peers[i].channelCount > CHANNEL)
            prefetch(&peers[i].channels[CHANNEL], sizeof peers[i].channels[CHANNEL]);
        if (transport->sessions != NULL)
            secure_sessions_prefetch(transport->sessions, transport->slots[i].from);
    }
}

// Whether ENet would deliver a message at once: what it waits for has arrived. A message that was
// sent before a reliable one that has arrived is delivered too (see peer_guard_filter).
static bool is_deliverable(const struct transport *transport, const ENetPeer *peer,
                           const struct datagram_message *message)
{
    if (peer->state != ENET_PEER_STATE_CONNECTED || peer->channelCount <= CHANNEL ||
        peer->totalWaitingData >= transport->host->maximumWaitingData)
        return false;
    const uint16_t arrived = peer->channels[CHANNEL].incomingReliableSequenceNumber;
    const uint16_t ahead = (uint16_t)(message->reliable - arrived);
    // ENet numbers unreliable messages from 1 on and drops number 0.
    return (ahead == 0 || ahead > UINT16_MAX / 2) && message->unreliable != 0;
}

enum direct_result transport_receive_direct(struct transport *transport, const ENetPeer *peer,
                                            const struct datagram_message *message)
{
    const size_t index = (size_t)(peer - transport->host->peers);
    struct transport_slot *slot = &transport->slots[index];
    if (!slot->present || slot->fill == transport->queue.fills ||
        !is_deliverable(transport, peer, message))
        return DIRECT_LEFT;
    if (slot->dropped || !transport_admit_datagram(transport, peer))
        return DIRECT_REJECTED;
    if (!peer_guard_take_message(&transport->guards[index], transport->now_ms)) {
        transport_reject(transport, DATAGRAM_BUDGET);
        return DIRECT_REJECTED;
    }
    return transport_admit_input(transport, slot) ? DIRECT_MESSAGE : DIRECT_REJECTED;
}

bool transport_has_commands(const ENetPeer *peer)
{
#if ENET_VERSION >= ENET_VERSION_CREATE(1, 3, 18) // reliable messages have a list of their own
    if (!enet_list_empty(&peer->outgoingSendReliableCommands))
        return true;
#endif
    return !enet_list_empty(&peer->outgoingCommands);
}

bool transport_send_direct(struct transport *transport, ENetPeer *peer, const uint8_t *data,
                           size_t size)
{
    if (transport_has_commands(peer) || !enet_list_empty(&peer->acknowledgements) ||
        peer->channelCount <= CHANNEL)
        return false;
    ENetChannel *channel = &peer->channels[CHANNEL];
    // ENet sends the next message reliably, to renew the sequence.
    if (channel->outgoingUnreliableSequenceNumber == UINT16_MAX)
        return false;
    uint8_t *buffer = transport_buffer(transport);
    const struct datagram_message message = {
        .reliable = channel->outgoingReliableSequenceNumber,
        .unreliable = ++channel->outgoingUnreliableSequenceNumber,
        .size = size,
    };
    const struct datagram_sender sender = {
        .peer = transport->slots[peer - transport->host->peers].client_id,
        .session = peer->outgoingSessionID,
    };
    datagram_write_message(sender, &message, buffer);
    memcpy(buffer + DATAGRAM_MESSAGE_HEADER, data, size);
    transport_queue(transport, transport_peer_address(transport, peer),
                    DATAGRAM_MESSAGE_HEADER + size);
    return true;
}
