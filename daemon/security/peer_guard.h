// SPDX-License-Identifier: MIT
// Filter of a connected peer's commands that bounds ENet's work per peer, and the round-trip
// estimator on which it relies. No ENet, no sockets; memory and time come from the caller.
//
// For each command ENet
// walks a list: of received commands that wait for an earlier message, or of sent commands that the
// peer has not acknowledged. It limits only the payload of the commands that it holds. The filter
// checks each command in constant time before ENet sees it. It removes a command from its datagram
// if:
// - its reliable sequence number is more than PEER_GUARD_WINDOW ahead of the last one received
//   without a gap,
// - it is a reliable command that is already queued (it is acknowledged again, because the first
//   acknowledgement may be lost),
// - it is an unreliable message that must wait for a reliable one, and PEER_GUARD_HELD already do,
// - it is an acknowledgement of nothing that was sent,
// - the peer has used up its commands,
// - it is a DISCONNECT that may be forged (see PEER_GUARD_SILENCE_MS).
#pragma once

#include "datagram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Round-trip estimator of one peer: a log of the reliable commands sent and not yet acknowledged,
// and a windowed minimum of the round trips. Times are measured by the server's clock, never taken
// from the peer's echo. A command that was sent more than once gives no sample, because its
// acknowledgement may belong to either transmission (Karn's algorithm, RFC 6298, section 3). The
// log also decides in constant time whether an acknowledgement matches a sent command.

// Unacknowledged reliable messages of a peer. Sequence numbers this far apart share an entry.
#define ROUND_TRIP_MESSAGES 512
// Unacknowledged commands of ENet itself (pings, the handshake), which sends one or two at a time,
// and reliable ones of the unreliable channel, where one message in 65,536 is reliable.
#define ROUND_TRIP_COMMANDS 16

#define ROUND_TRIP_UNKNOWN UINT32_MAX

enum {
    ROUND_TRIP_WINDOW_MS = 1000,
    ROUND_TRIP_BUCKETS = 8, // of the window; a further one lies only partly in it
};

enum round_trip_channel { ROUND_TRIP_RELIABLE, ROUND_TRIP_UNRELIABLE, ROUND_TRIP_CONTROL };

struct round_trip {
    // The time of the first transmission: milliseconds in the upper 31 bits, "resent" in the
    // lowest; 0: no command.
    uint32_t reliable[ROUND_TRIP_MESSAGES];
    uint32_t unreliable[ROUND_TRIP_COMMANDS];
    uint32_t control[ROUND_TRIP_COMMANDS];
    uint16_t newest[3]; // sequence number sent, by channel
    bool has_sent[3];   // by channel
    // The minimum of each part of the window, and the part's number (time / part length).
    uint32_t min_ms[ROUND_TRIP_BUCKETS + 1];
    int64_t part[ROUND_TRIP_BUCKETS + 1];
};

// Begins with an empty log and no samples.
void round_trip_init(struct round_trip *round_trip);

// Records a transmission or a retransmission of a reliable command. `now_ms` never decreases.
void round_trip_send(struct round_trip *round_trip, enum round_trip_channel channel,
                     uint16_t sequence, int64_t now_ms);

// Whether the log has room for this sequence number: false while the command that shares its entry
// is unacknowledged.
bool round_trip_has_room(const struct round_trip *round_trip, enum round_trip_channel channel,
                         uint16_t sequence);

// Removes an acknowledged command from the log. False if the acknowledgement matches none. Writes
// the milliseconds since the command's first transmission.
bool round_trip_acknowledge(struct round_trip *round_trip, enum round_trip_channel channel,
                            uint16_t sequence, int64_t now_ms, uint32_t *elapsed_ms);

// The shortest round trip of the last ROUND_TRIP_WINDOW_MS in milliseconds, at least 1;
// ROUND_TRIP_UNKNOWN if there was no sample.
uint32_t round_trip_min_ms(const struct round_trip *round_trip, int64_t now_ms);

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
    // The longest round trip that ENet is shown. ENet waits for an acknowledgement for its mean
    // round
    // trip and four deviations before it resends, and drops the peer after 15 s. Without this limit
    // it drops a client that has not answered for a few seconds when one later ping is lost.
    PEER_GUARD_SAMPLE_MS = 2000,
    // The number of acknowledgements in a datagram that may match no command, because ENet
    // acknowledges resent commands again. After one more the rest of the datagram is cut off.
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
    uint32_t service_ms;    // the time from which ENet subtracts echoes, by its own clock
    bool is_connected;      // ENet accepts messages
    bool is_connecting;     // the next matching acknowledgement connects the peer
    bool trusts_disconnect; // it cannot be forged, or the server is disconnecting the peer
    uint32_t channels;      // of the peer, up to 2
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
// remaining commands must be given to ENet. Counts rejected commands by reason in `rejected`.
// Replaces the values of commands that would throttle the server, corrects the echoed times of
// acknowledgements, and renumbers unreliable messages that arrive after a later reliable one, so
// that ENet accepts them.
void peer_guard_filter(struct peer_guard *guard, const struct peer_guard_view *view, uint8_t *data,
                       size_t size, int64_t now_ms, uint64_t rejected[DATAGRAM_VERDICTS],
                       struct peer_guard_report *report);

// The time to reset the connection unless the peer sends more; INT64_MAX: never.
int64_t peer_guard_deadline_ms(const struct peer_guard *guard);
