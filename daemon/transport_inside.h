// SPDX-License-Identifier: MIT
// What a transport is made of, for the three files that know: transport.c has ENet's host,
// transport_datagrams.c moves its datagrams, transport_gate.c says which of them ENet gets to see.
#pragma once

#include "batch.h"
#include "gate.h"
#include "transport.h"

struct _ENetEvent;
struct _ENetHost;
struct _ENetPacket;
struct seals;

struct transport_slot {
    size_t queued;     // bytes of messages that ENet holds: not sent yet, or not acknowledged
    uint32_t owed;     // reliable ones among them
    int64_t owed_ms;   // since when none of these was acknowledged
    bool present;      // CONNECTED was told, DISCONNECTED was not
    bool dropped;      // it is to go, and DISCONNECTED must be told
    bool heard;        // it has said something
    int64_t since_ms;  // it has been present
    uint64_t receive;  // of its last unreliable message
    uint32_t received; // unreliable messages in that receive
};

struct transport {
    struct _ENetHost *host;
    int socket;                  // the host's
    struct _ENetPacket *message; // of the last event
    bool dry;                    // the kernel had nothing more when it was last asked
    int services_left;           // of this receive
    uint64_t receives;           // ever
    uint32_t present;            // slots with `present`
    uint32_t dropped;            // slots with `dropped`
    uint32_t slot_count;
    struct transport_stats stats;
    enum query_kind query; // of the last event, if it is one
    struct gate gate;
    struct seals *seals;           // NULL: nothing is sealed
    enum datagram_verdict opening; // why the last datagram received could not be opened
    struct batch in;
    struct batch out;
    struct transport_slot slots[];
};

// ENet's intercept, which sees a datagram before ENet parses it: 1 where that is the end of it, 0
// where it goes on.
int transport_judge(struct transport *transport, struct _ENetHost *host, struct _ENetEvent *event);

// Counts something that is refused; 1.
int transport_refuse(struct transport *transport, enum datagram_verdict reason);

// The next datagram that has come, of at most BATCH_BYTES, opened where it was sealed; and from
// where. -1 when there is none.
int transport_take(struct transport *transport, struct query_source *from, uint8_t *data);

// Queues a datagram of ENet's, sealed where the arena is. The bytes queued; 0 where it is lost.
int transport_put(struct transport *transport, struct query_source to, const struct iovec *parts,
                  size_t count);

// Sends what was queued.
void transport_send_batch(struct transport *transport);

// Since the machine started.
int64_t transport_now_us(void);
