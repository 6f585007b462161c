// SPDX-License-Identifier: MIT
// Filter of a connected peer's commands that bounds ENet's work per peer. For each command ENet
// walks a list: of received commands that wait for an earlier message, or of sent commands that the
// peer has not acknowledged. It limits only the payload of the commands that it holds. The filter
// checks each command in constant time before ENet sees it, and removes a command from its datagram
// if
// - its reliable sequence number is more than PEER_GUARD_WINDOW ahead of the last one received
//   without a gap,
// - it is a reliable command that is already queued (it is acknowledged again, because the first
//   acknowledgement may be lost),
// - it is an unreliable message that must wait for a reliable one, and PEER_GUARD_HELD already do,
// - it is an acknowledgement of nothing that was sent,
// - the peer has used up its commands,
// - it is a DISCONNECT that may be forged (see PEER_GUARD_SILENCE_MS).
// No ENet, no sockets, no memory of its own; time comes from the caller.
#pragma once

#include "datagram.h"
#include "round_trip.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    // Reliable messages accepted ahead of a gap. The peer resends the rest when the gap is closed.
    PEER_GUARD_WINDOW = 64,
    // Unreliable messages held until a reliable one arrives. An unreliable message names the last
    // reliable one of its channel and waits for it; ENet sends one there every 65,536 messages.
    // While that one is lost, the inputs of half a second at 60 Hz are held and later ones are
    // dropped. A higher limit gains little, because each input message repeats earlier inputs.
    PEER_GUARD_HELD = 32,
    // Token buckets of a peer: a burst, because a network or a stopped server may deliver the
    // datagrams of seconds at once, and a refill with every tick. An honest client sends one or two
    // datagrams per tick, with one or two commands each.
    PEER_GUARD_DATAGRAMS = 256,
    PEER_GUARD_DATAGRAMS_PER_TICK = 16,
    PEER_GUARD_COMMANDS = 256,
    PEER_GUARD_COMMANDS_PER_TICK = 64,
    // Commands that ENet acknowledges, which costs several times as much as reading them. An honest
    // client sends two pings a second and an occasional reliable message.
    PEER_GUARD_RELIABLE = 128,
    PEER_GUARD_RELIABLE_PER_TICK = 8,
    // The longest round trip that ENet is shown. It waits for an acknowledgement for its mean round
    // trip and four deviations before it resends, and gives the peer up after 15 s: a client that
    // had not answered for a few seconds was disconnected when one ping after that was lost.
    PEER_GUARD_SAMPLE_MS = 2000,
    // Acknowledgements in a datagram that may match nothing: ENet acknowledges again what the
    // server has resent. The rest of the datagram is cut off after one more.
    PEER_GUARD_ACKS = 8,
    // Anyone who forges an unencrypted peer's address can send a DISCONNECT in its name. It is
    // trusted if the peer has sent nothing else for PEER_GUARD_SILENCE_MS (an honest peer stops
    // sending and repeats its DISCONNECT), or, if it came only once, when the peer has sent nothing
    // for PEER_GUARD_DISCONNECT_MS after it.
    PEER_GUARD_SILENCE_MS = 250,
    PEER_GUARD_DISCONNECT_MS = 1000,
};

// The guard's state of one peer.
struct peer_guard {
    uint64_t tick;                          // the last tick in which a datagram came
    uint32_t datagrams, commands, reliable; // tokens used, as of `tick`
    int64_t active_ms;                      // the last message, or a ping after one; 0: none yet
    int64_t disconnect_ms; // the first untrusted DISCONNECT since `active_ms`; 0: none
    int64_t reset_ms;      // when the server resets the connection; 0: not set
    struct round_trip round_trip;
};

// ENet's receiving state of a channel.
struct peer_guard_channel {
    uint16_t received; // last reliable sequence number received without a gap
    uint64_t waiting;  // bit i: received + 1 + i is queued
    uint32_t held;     // unreliable commands that wait for a reliable one
    uint64_t held_set; // their own sequence numbers, modulo 64
};

// ENet's state of the peer when a datagram arrives.
struct peer_guard_view {
    bool is_connected;      // ENet accepts messages
    bool is_connecting;     // the next matching acknowledgement connects the peer
    bool trusts_disconnect; // it cannot be forged, or the server is disconnecting the peer
    uint32_t channels;      // that the peer has, up to 2
    struct peer_guard_channel channel[2];
    size_t waiting_bytes, max_waiting_bytes; // payload that ENet holds, and may hold
};

// A reliable command that the caller acknowledges again.
struct peer_guard_repeat {
    uint8_t channel;
    uint16_t sequence;
};

struct peer_guard_report {
    size_t size; // bytes left of the datagram; 0: drop it
    uint32_t repeats;
    struct peer_guard_repeat repeat[DATAGRAM_MAX_COMMANDS];
};

void peer_guard_init(struct peer_guard *guard);

// Counts a datagram. False if the peer has used up its datagrams or its commands. `tick` is the
// caller's tick count and never decreases.
bool peer_guard_admit(struct peer_guard *guard, uint64_t tick);

// Counts an unreliable message that ENet does not see, of a connected peer's datagram that
// peer_guard_admit has counted. False if the peer has used up its commands.
bool peer_guard_take_message(struct peer_guard *guard, int64_t now_ms);

// Filters a datagram that is DATAGRAM_OK and that peer_guard_admit has counted, in place. The
// remaining commands must be given to ENet. Counts refused commands by reason in `refused`.
// Replaces the values of commands that would throttle the server, corrects the echoed times of
// acknowledgements, and renumbers unreliable messages that arrive after a later reliable one, so
// that ENet accepts them.
void peer_guard_filter(struct peer_guard *guard, const struct peer_guard_view *view, uint8_t *data,
                       size_t size, int64_t now_ms, uint64_t refused[DATAGRAM_VERDICTS],
                       struct peer_guard_report *report);

// When to reset the connection unless the peer sends more; INT64_MAX: never.
int64_t peer_guard_deadline_ms(const struct peer_guard *guard);
