// SPDX-License-Identifier: MIT
// Private state of a transport, shared by the transport's files, which are layered in this order:
// transport_datagrams.c moves datagrams, transport_budget.c limits connected peers,
// transport_direct.c exchanges unreliable messages without ENet, transport_admission.c filters the
// datagrams that ENet parses, transport_open.c creates the ENet host, and transport.c runs it. Each
// includes only headers of earlier layers.
#pragma once

#include "address_budget.h"
#include "admission.h"
#include "batch.h"
#include "enet_queue.h"
#include "peer_guard.h"
#include "transport_stats.h"

struct _ENetHost;
struct _ENetPacket;
struct raim_enet_carrier;
struct gateways;
struct secure_sessions;

enum { CHANNEL_RELIABLE, CHANNEL_UNRELIABLE, CHANNELS }; // of every peer

struct transport_slot {
    struct udp_address from; // of the peer in this slot; see transport_key
    size_t queued;           // bytes of messages that ENet holds: not sent yet, or not acknowledged
    uint32_t unacknowledged; // reliable messages that are not acknowledged
    int64_t stalled_since_ms; // last acknowledgement of a reliable message, or the first send
    bool present;             // CONNECTED was returned, DISCONNECTED was not
    bool dropped;             // reset; its DISCONNECTED is still to be returned
    bool is_admitted;         // see transport_admit
    int64_t since_ms;         // when it connected
    uint64_t receive;         // number of the receive with its last unreliable message
    uint32_t received;        // unreliable messages in that receive
    uint16_t
        client_id; // by which the client knows the connection, where ENet has the slot's number
    uint64_t fill; // of the queue, in which a datagram of the peer waits for ENet
};

struct transport {
    struct _ENetHost *host;
    struct raim_enet_carrier *carrier; // of the host's datagrams
    int socket;                        // of the clients
    uint16_t port;                     // to which the socket is bound
    struct _ENetPacket *message;       // of the last event returned
    bool drained;                      // the last batch emptied the kernel's queue
    int services_left;                 // ENet service calls left in this receive
    bool is_serviced;                  // ENet was serviced in this receive
    bool has_outgoing;                 // ENet may hold something that its next flush sends
    int64_t now_ms;                    // when this receive or the last flush began
    int64_t serviced_ms;               // time of ENet's last service
    uint64_t receives;                 // since the transport was opened
    uint32_t present;                  // slots with `present`
    uint32_t dropped;                  // slots with `dropped`
    uint32_t slot_count;
    struct transport_stats stats;
    struct admission admission;
    struct secure_sessions *sessions; // NULL: encryption is not offered
    int64_t swept_ms;                 // time of the last transport_sweep_sessions
    struct gateways *gateways;        // NULL: there is none
    struct udp_address from;          // sender of the datagram that ENet reads
    bool is_secure;                   // that datagram was encrypted
    // Limits of peers and ticks; see transport_budget.c.
    struct peer_guard *guards;       // one for each slot
    uint32_t time_us;                // time limit of a receive; 0: none
    int64_t time_end_us;             // of this receive
    uint32_t taken;                  // datagrams in this receive
    bool is_overtime;                // this receive reads no more datagrams
    int64_t deadline_ms;             // earliest deadline of a connection; INT64_MAX: none
    struct address_budget addresses; // datagram budgets of addresses
    struct batch in;
    struct batch out;
    struct enet_queue queue;
    struct transport_slot slots[];
};
