// SPDX-License-Identifier: MIT
// What a transport is made of, for the files that know: transport.c has ENet's host,
// transport_hooks.c is what libenet calls, transport_datagrams.c moves its datagrams,
// transport_gate.c says which of them ENet gets to see, and transport_guard.c what of them.
#pragma once

#include "address_budget.h"
#include "batch.h"
#include "gate.h"
#include "peer_guard.h"
#include "transport.h"

struct _ENetAddress;
struct _ENetEvent;
struct _ENetHost;
struct _ENetPacket;
struct _ENetPeer;
struct secure_sessions;

struct transport_slot {
    size_t queued;     // bytes of messages that ENet holds: not sent yet, or not acknowledged
    uint32_t owed;     // reliable ones among them
    int64_t owed_ms;   // since when none of these was acknowledged
    bool present;      // CONNECTED was told, DISCONNECTED was not
    bool dropped;      // it is to go, and DISCONNECTED must be told
    bool is_in;        // whoever uses the transport has let it in
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
    struct secure_sessions *sessions; // NULL: encryption is not offered
    int64_t swept_ms;                 // when their lifetimes were looked at last
    bool is_secure;                   // the last datagram received was encrypted
    enum datagram_verdict opening;    // why it was refused before anybody saw what is in it
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

// ENet's intercept, which sees a datagram before ENet parses it: 1 where that is the end of it, 0
// where it goes on.
int transport_judge(struct transport *transport, struct _ENetHost *host, struct _ENetEvent *event);

// Counts something that is refused; 1.
int transport_refuse(struct transport *transport, enum datagram_verdict reason);

// --- transport_guard.c ---

// Begins the time of a tick, and ends the connections that were to end by now.
void transport_begin_receive(struct transport *transport);

// Sets what the peers of an address may send by what the gate's limits say.
void transport_limit_addresses(struct transport *transport);

// Whether another datagram may be read in this tick; counts it.
bool transport_has_time(struct transport *transport);

// Cuts out of a connected peer's datagram what ENet must not see: 1 where nothing is left, or ENet
// would not know whose it is.
int transport_filter(struct transport *transport, struct _ENetHost *host);

// ENet sends a datagram to a peer: `address` is that of an ENetPeer.
void transport_note_sent(struct transport *transport, const void *address);

// Whether a peer has acknowledged enough to be sent another reliable message.
bool transport_keeps_up(const struct transport *transport, uint32_t peer);

// Frees a peer's slot at once. If it was CONNECTED, DISCONNECTED is told next, and until then
// nothing is heard of whoever gets the slot.
void transport_drop(struct transport *transport, struct _ENetPeer *peer);

// The server ends a connection: it is reset a little later, whatever its peer does.
void transport_set_farewell(struct transport *transport, uint32_t peer);
void transport_end_connections(struct transport *transport);

// Whether a peer holds a slot for nothing: it has left our answer to its CONNECT unacknowledged for
// longer than a round trip takes, or was not let in (see transport_let_in).
bool transport_is_idle(const struct transport *transport, const struct _ENetPeer *peer);

// Whether there is a slot for a CONNECT, which it then gets. If there is none, the oldest idle
// connection makes room, whatever network it is from. Walks all peers, as ENet does next.
bool transport_make_room(struct transport *transport, const struct _ENetAddress *from, uint32_t id);

// --- transport_hooks.c ---

// The transport whose host ENet is serving on this thread. Other hosts of the process, such as a
// test's clients, find NULL and get plain system calls.
extern _Thread_local struct transport *transport_serving;

// Whether libenet really calls the functions of transport_hooks.c: a libenet that is linked with
// -Bsymbolic-functions would call its own, and nothing would be checked, encrypted or timed.
// Otherwise writes a reason.
bool transport_check_hooks(char *error, size_t capacity);

// --- transport_datagrams.c ---

// The next datagram that has come, of at most BATCH_BYTES, decrypted where it was encrypted; and
// from where. -1 when there is none.
int transport_take(struct transport *transport, struct udp_address *from, uint8_t *data);

// Queues a datagram of ENet's, encrypted where the peer has a session. The bytes queued; 0 where it
// is lost.
int transport_put(struct transport *transport, struct udp_address to, const struct iovec *parts,
                  size_t count);

// Sends what was queued.
void transport_send_batch(struct transport *transport);

// Ends the encrypted sessions whose ENet peer is gone.
void transport_sweep_sessions(struct transport *transport);

// Since the machine started.
int64_t transport_now_us(void);
