// SPDX-License-Identifier: MIT
// What a transport is made of, for the files that know. Each of them includes only those before it:
// transport_datagrams.c moves datagrams, transport_guard.c bounds what ENet gets to see of a
// peer's, transport_gate.c says which of them ENet gets to see, transport_hooks.c is what libenet
// calls, and transport.c has ENet's host.
#pragma once

#include "address_budget.h"
#include "batch.h"
#include "gate.h"
#include "peer_guard.h"
#include "transport_stats.h"

struct _ENetHost;
struct _ENetPacket;
struct secure_sessions;

struct transport_slot {
    size_t queued;           // bytes of messages that ENet holds: not sent yet, or not acknowledged
    uint32_t unacknowledged; // reliable ones among them
    int64_t stalled_since_ms; // since when none of these was acknowledged
    bool present;             // CONNECTED was told, DISCONNECTED was not
    bool dropped;             // it is to go, and DISCONNECTED must be told
    bool is_admitted;         // whoever uses the transport has let it in
    int64_t since_ms;         // it has been present
    uint64_t receive;         // of its last unreliable message
    uint32_t received;        // unreliable messages in that receive
};

struct transport {
    struct _ENetHost *host;
    int socket;                  // the host's
    struct _ENetPacket *message; // of the last event
    bool drained;                // the kernel had nothing more when it was last asked
    int services_left;           // of this receive
    uint64_t receives;           // ever
    uint32_t present;            // slots with `present`
    uint32_t dropped;            // slots with `dropped`
    uint32_t slot_count;
    struct transport_stats stats;
    enum query_kind query; // of the last event, if it is one
    struct gate gate;
    struct secure_sessions *sessions;      // NULL: encryption is not offered
    int64_t swept_ms;                      // when their lifetimes were looked at last
    bool is_secure;                        // the last datagram received was encrypted
    enum datagram_verdict decrypt_verdict; // why it was refused before anybody saw what is in it
    // What bounds peers and ticks; see transport_guard.c.
    struct peer_guard *guards;       // one for each slot
    uint32_t time_us;                // for a receive, 0: any
    int64_t time_end_us;             // of this receive
    uint32_t taken;                  // datagrams in this receive
    bool is_overtime;                // the rest is left for the next receive
    int64_t deadline_ms;             // when the first connection is to be ended, INT64_MAX: never
    struct address_budget addresses; // datagrams of their peers
    struct batch in;
    struct batch out;
    struct transport_slot slots[];
};
