// SPDX-License-Identifier: MIT
// Gives peer_guard its view of ENet's peers, enforces the budgets of addresses and of a tick, ends
// connections at their deadlines, and evicts idle peers for new connections.
#define _GNU_SOURCE // struct mmsghdr, for batch.h
#include "transport_budget.h"

#include "monotonic.h"
#include "transport_datagrams.h"

#include <arpa/inet.h>
#include <assert.h>
#include <enet/enet.h>
#include <stdlib.h>
#include <string.h>

enum {
    // Time after CONNECTED until a peer that was not admitted may be evicted.
    ADMIT_TIMEOUT_MS = 1000,
    // Time for a peer to acknowledge the server's disconnect.
    RESET_DELAY_MS = 1000,
    // Datagram budget of an address: the burst, and the refill per tick for each connection that it
    // may have, besides the refill of one peer. It is twice what honest clients send.
    ADDRESS_DATAGRAMS = 2 * PEER_GUARD_DATAGRAMS,
    ADDRESS_DATAGRAMS_PER_TICK = 4,
    // Datagrams between two reads of the clock.
    DATAGRAMS_PER_CLOCK_READ = 8,
    // Datagrams read in every tick however slow the machine is, besides two per peer slot.
    MIN_DATAGRAMS = 64,
};

static int64_t now_ms(void)
{
    return monotonic_ms();
}

// --- Addresses ---

// Neither 0 nor ENET_HOST_BROADCAST, which ENet does not compare.
static enet_uint32 key_of(const ENetHost *host, const ENetPeer *peer)
{
    return (enet_uint32)(peer - host->peers) + 1;
}

void transport_set_sender(struct _ENetHost *host, const struct _ENetPeer *peer)
{
    host->receivedAddress = (ENetAddress){.host = key_of(host, peer)};
}

struct udp_address transport_peer_address(const struct transport *transport,
                                          const struct _ENetPeer *peer)
{
    return transport->slots[peer - transport->host->peers].from;
}

// --- The time of a tick ---

void transport_begin_receive(struct transport *transport)
{
    transport->receives++;
    transport->now_ms = now_ms();
    transport->taken = 0;
    transport->is_overtime = false;
    if (transport->time_us > 0)
        transport->time_end_us = monotonic_us() + transport->time_us;
    if (transport->now_ms >= transport->deadline_ms)
        transport_end_connections(transport);
}

bool transport_has_time(struct transport *transport)
{
    const uint32_t taken = transport->taken++;
    if (transport->time_us == 0 || transport->is_overtime ||
        taken < MIN_DATAGRAMS + 2 * transport->slot_count || taken % DATAGRAMS_PER_CLOCK_READ != 0)
        return !transport->is_overtime;
    transport->is_overtime = (int64_t)monotonic_us() >= transport->time_end_us;
    if (transport->is_overtime)
        transport_reject(transport, DATAGRAM_OVERTIME);
    return !transport->is_overtime;
}

// --- What a connected peer sends ---

static bool has_address_budget(struct transport *transport, struct ip_address ip)
{
    return !admission_is_limited(&transport->admission, ip) ||
           address_budget_take(&transport->addresses, ip, transport->receives);
}

void transport_limit_addresses(struct transport *transport)
{
    address_budget_set_rate(&transport->addresses, ADDRESS_DATAGRAMS,
                            PEER_GUARD_DATAGRAMS_PER_TICK +
                                ADDRESS_DATAGRAMS_PER_TICK *
                                    transport->admission.limits.connections_per_address);
}

struct _ENetPeer *transport_find_sender(const struct transport *transport, const uint8_t *data,
                                        struct udp_address from)
{
    const ENetHost *host = transport->host;
    const struct datagram_sender sender = datagram_sender(data);
    if (sender.peer >= host->peerCount)
        return NULL;
    ENetPeer *peer = &host->peers[sender.peer];
    if (peer->state == ENET_PEER_STATE_DISCONNECTED || peer->state == ENET_PEER_STATE_ZOMBIE ||
        !udp_address_equal(from, transport->slots[sender.peer].from) ||
        sender.session != peer->incomingSessionID)
        return NULL;
    return peer;
}

bool transport_admit_datagram(struct transport *transport, const struct _ENetPeer *peer)
{
    if (peer_guard_admit(&transport->guards[peer - transport->host->peers], transport->receives) &&
        has_address_budget(transport, transport_peer_address(transport, peer).ip))
        return true;
    transport_reject(transport, DATAGRAM_BUDGET);
    return false;
}

bool transport_admit_input(struct transport *transport, struct transport_slot *slot)
{
    slot->received = slot->receive == transport->receives ? slot->received + 1 : 1;
    slot->receive = transport->receives;
    if (slot->received <= transport->admission.limits.inputs_per_tick)
        return true;
    transport_reject(transport, DATAGRAM_INPUTS);
    return false;
}

// Copies ENet's lists into the view. The guard bounds their lengths.
static void view_channel(const ENetChannel *channel, struct peer_guard_channel *view)
{
    view->received = channel->incomingReliableSequenceNumber;
    const ENetListNode *end = &channel->incomingReliableCommands.sentinel;
    for (const ENetListNode *node = end->next; node != end; node = node->next) {
        const ENetIncomingCommand *command = (const ENetIncomingCommand *)node;
        const unsigned ahead = (uint16_t)(command->reliableSequenceNumber - view->received);
        if (ahead >= 1 && ahead <= PEER_GUARD_WINDOW)
            view->waiting |= UINT64_C(1) << (ahead - 1);
    }
    end = &channel->incomingUnreliableCommands.sentinel;
    for (const ENetListNode *node = end->next; node != end; node = node->next) {
        const ENetIncomingCommand *command = (const ENetIncomingCommand *)node;
        view->held++;
        view->held_set |= UINT64_C(1) << command->unreliableSequenceNumber % 64;
    }
}

static struct peer_guard_view view_of(const struct transport *transport, const ENetPeer *peer)
{
    struct peer_guard_view view = {
        .service_ms = transport->host->serviceTime,
        .is_connected = peer->state == ENET_PEER_STATE_CONNECTED ||
                        peer->state == ENET_PEER_STATE_DISCONNECT_LATER,
        .is_connecting = peer->state == ENET_PEER_STATE_ACKNOWLEDGING_CONNECT,
        .trusts_disconnect = transport->is_secure ||
                             peer->state == ENET_PEER_STATE_DISCONNECT_LATER ||
                             peer->state == ENET_PEER_STATE_DISCONNECTING,
        .waiting_bytes = peer->totalWaitingData,
        .max_waiting_bytes = transport->host->maximumWaitingData,
    };
    for (; view.channels < 2 && view.channels < peer->channelCount; view.channels++)
        view_channel(&peer->channels[view.channels], &view.channel[view.channels]);
    return view;
}

// Resets the unreliable sequence number of each channel. ENet drops an unreliable message whose
// number is not above the newest delivered one, so that one forged datagram with the highest number
// would silence a peer for up to 65,535 messages. Inputs name their ticks, so their order does not
// matter.
static void take_unreliable_in_any_order(ENetPeer *peer)
{
    for (size_t i = 0; i < peer->channelCount; i++)
        peer->channels[i].incomingUnreliableSequenceNumber = 0;
}

static void acknowledge_again(ENetPeer *peer, const struct peer_guard_report *report,
                              uint16_t sent_time)
{
    for (uint32_t i = 0; i < report->repeats; i++) {
        const ENetProtocol command = {
            .header = {.command = (int)ENET_PROTOCOL_COMMAND_SEND_RELIABLE |
                                  (int)ENET_PROTOCOL_COMMAND_FLAG_ACKNOWLEDGE,
                       .channelID = report->repeat[i].channel,
                       .reliableSequenceNumber = report->repeat[i].sequence}};
        enet_peer_queue_acknowledgement(peer, &command, sent_time);
    }
}

static void lower_deadline(struct transport *transport, int64_t deadline_ms)
{
    if (deadline_ms < transport->deadline_ms)
        transport->deadline_ms = deadline_ms;
}

int transport_filter(struct transport *transport, ENetHost *host)
{
    ENetPeer *peer = transport_find_sender(transport, host->receivedData, transport->from);
    if (peer == NULL)
        return 1;
    transport_set_sender(host, peer);
    const size_t index = (size_t)(peer - host->peers);
    struct peer_guard *guard = &transport->guards[index];
    if (transport->slots[index].dropped)
        return 1; // until the DISCONNECTED of the slot's previous peer was returned
    if (!transport_admit_datagram(transport, peer))
        return 1;
    take_unreliable_in_any_order(peer);
    const struct peer_guard_view view = view_of(transport, peer);
    struct peer_guard_report report;
    const uint16_t sent_time = datagram_sent_time(host->receivedData);
    peer_guard_filter(guard, &view, host->receivedData, host->receivedDataLength, now_ms(),
                      transport->stats.rejected, &report);
    acknowledge_again(peer, &report, sent_time);
    lower_deadline(transport, peer_guard_deadline_ms(guard));
    host->receivedDataLength = report.size;
    return report.size == 0;
}

// --- What a peer is sent ---

void transport_set_clock(void)
{
    const enet_uint32 ms = (enet_uint32)now_ms();
    if (enet_time_get() - ms + 1 > 2)
        enet_time_set(ms);
}

static void record_sent(struct peer_guard *guard, const ENetHost *host)
{
    for (size_t i = 0; i < host->commandCount; i++) {
        const ENetProtocolCommandHeader *header = &host->commands[i].header;
        if ((header->command & ENET_PROTOCOL_COMMAND_FLAG_ACKNOWLEDGE) == 0)
            continue;
        // A DISCONNECT makes ENet discard the commands sent before it.
        if ((header->command & ENET_PROTOCOL_COMMAND_MASK) == ENET_PROTOCOL_COMMAND_DISCONNECT)
            round_trip_init(&guard->round_trip);
        const enum round_trip_channel channel = header->channelID == 0   ? ROUND_TRIP_RELIABLE
                                                : header->channelID == 1 ? ROUND_TRIP_UNRELIABLE
                                                                         : ROUND_TRIP_CONTROL;
        round_trip_send(&guard->round_trip, channel, ntohs(header->reliableSequenceNumber),
                        now_ms());
    }
}

void transport_send_of_enet(struct transport *transport, uint8_t *data, size_t size)
{
    const uint16_t peer = datagram_sender(data).peer;
    assert(peer < transport->slot_count && size <= RAIM_MAX_DATAGRAM_BYTES);
    const struct transport_slot *slot = &transport->slots[peer];
    record_sent(&transport->guards[peer], transport->host);
    datagram_set_peer(data, slot->client_id);
    memcpy(transport_buffer(transport), data, size);
    transport_queue(transport, slot->from, size);
}

bool transport_can_send_reliable(const struct transport *transport, uint32_t peer)
{
    const ENetChannel *channel = transport->host->peers[peer].channels;
    return transport->slots[peer].unacknowledged < ROUND_TRIP_MESSAGES &&
           round_trip_has_room(&transport->guards[peer].round_trip, ROUND_TRIP_RELIABLE,
                               (uint16_t)(channel->outgoingReliableSequenceNumber + 1));
}

// --- Ends ---

void transport_drop(struct transport *transport, struct _ENetPeer *peer)
{
    struct transport_slot *slot = &transport->slots[peer - transport->host->peers];
    enet_peer_reset(peer);
    if (slot->present && !slot->dropped) {
        slot->dropped = true;
        transport->dropped++;
    }
}

void transport_schedule_reset(struct transport *transport, uint32_t peer)
{
    struct peer_guard *guard = &transport->guards[peer];
    if (guard->reset_ms == 0)
        guard->reset_ms = now_ms() + RESET_DELAY_MS;
    lower_deadline(transport, guard->reset_ms);
}

static void end_connection(struct transport *transport, uint32_t index)
{
    ENetPeer *peer = &transport->host->peers[index];
    if (peer->state == ENET_PEER_STATE_DISCONNECTED || peer->state == ENET_PEER_STATE_ZOMBIE ||
        transport->slots[index].dropped)
        return;
    // If the last messages are still unacknowledged, the client is sent one DISCONNECT.
    if (peer->state == ENET_PEER_STATE_DISCONNECT_LATER) {
        transport_set_clock();
        enet_peer_disconnect_now(peer, peer->eventData);
    }
    transport_drop(transport, peer);
}

void transport_end_connections(struct transport *transport)
{
    const int64_t now = now_ms();
    transport->deadline_ms = INT64_MAX;
    for (uint32_t i = 0; i < transport->slot_count; i++) {
        struct peer_guard *guard = &transport->guards[i];
        const int64_t deadline_ms = peer_guard_deadline_ms(guard);
        if (deadline_ms > now) {
            lower_deadline(transport, deadline_ms);
            continue;
        }
        end_connection(transport, i);
        guard->reset_ms = guard->disconnect_ms = 0;
    }
}

// --- Slots ---

bool transport_is_idle(const struct transport *transport, const struct _ENetPeer *peer)
{
    const struct transport_slot *slot = &transport->slots[peer - transport->host->peers];
    if (peer->state == ENET_PEER_STATE_ACKNOWLEDGING_CONNECT)
        return peer->earliestTimeout != 0;
    return peer->state == ENET_PEER_STATE_CONNECTED && slot->present && !slot->dropped &&
           !slot->is_admitted && now_ms() - slot->since_ms >= ADMIT_TIMEOUT_MS;
}

// The connection time of an idle peer, for eviction. A peer that has not acknowledged the answer to
// its CONNECT may have forged its address and counts as older than any connected peer.
static int64_t age_of(const struct transport *transport, const ENetPeer *peer)
{
    return peer->state == ENET_PEER_STATE_CONNECTED
               ? transport->slots[peer - transport->host->peers].since_ms
               : INT64_MIN;
}

const struct _ENetPeer *transport_make_room(struct transport *transport, struct udp_address from,
                                            uint32_t id)
{
    ENetHost *host = transport->host;
    ENetPeer *free_slot = NULL, *oldest = NULL;
    for (size_t i = 0; i < host->peerCount; i++) {
        ENetPeer *peer = &host->peers[i];
        if (peer->state == ENET_PEER_STATE_DISCONNECTED)
            free_slot = free_slot != NULL ? free_slot : peer;
        else if (udp_address_equal(transport_peer_address(transport, peer), from) &&
                 peer->connectID == id)
            return peer; // a repeated CONNECT, which ENet recognizes
        else if (transport_is_idle(transport, peer) &&
                 (oldest == NULL || age_of(transport, peer) < age_of(transport, oldest)))
            oldest = peer;
    }
    if (free_slot == NULL && oldest == NULL)
        return NULL;
    if (free_slot == NULL) {
        transport_drop(transport, oldest);
        free_slot = oldest;
    }
    // ENet uses the first free slot.
    peer_guard_init(&transport->guards[free_slot - host->peers]);
    transport->slots[free_slot - host->peers].from = from;
    return free_slot;
}
