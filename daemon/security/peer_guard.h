// SPDX-License-Identifier: MIT
// Bounds what one connected peer can make ENet do. ENet walks a list for each command: of what
// waits for an earlier message, or of what the peer has not acknowledged; and counts only the
// payload of what it holds. So each command is judged in constant time before ENet sees it, and cut
// out of its datagram where
// - its reliable sequence number is more than PEER_GUARD_WINDOW ahead of what has come without a
// gap,
// - it waits already: acknowledged again, because the acknowledgement before may be lost,
// - it is an unreliable message that has to wait for a reliable one, and PEER_GUARD_HELD others do,
// - it acknowledges nothing,
// - the peer has used up its commands,
// - it is a DISCONNECT that anybody may have sent (see below).
// No ENet, no sockets, no memory of its own; time comes from the caller.
#pragma once

#include "datagram.h"
#include "round_trip.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    // A reliable message that is more than so many behind a gap comes again when the gap is closed.
    PEER_GUARD_WINDOW = 64,
    // An unreliable message names the last reliable one of its channel and waits for it. An honest
    // client sends a reliable one there every 65,536 messages. While that one is lost, its inputs
    // of half a second at 60 Hz are kept, and those that follow are lost: each input message
    // repeats the inputs before it, so that nothing but that half second would be gained by more.
    PEER_GUARD_HELD = 32,
    // Token buckets of a peer: so many at once, because what a network or a halted server had kept
    // for seconds comes at once, and so many more with every tick. An honest client sends one or
    // two datagrams in a tick, with a command or two each.
    PEER_GUARD_DATAGRAMS = 256,
    PEER_GUARD_DATAGRAMS_PER_TICK = 16,
    PEER_GUARD_COMMANDS = 256,
    PEER_GUARD_COMMANDS_PER_TICK = 64,
    // Of the commands those that ENet acknowledges, which costs several times as much as reading
    // them. An honest client pings twice a second and says something now and then.
    PEER_GUARD_RELIABLE = 128,
    PEER_GUARD_RELIABLE_PER_TICK = 8,
    // Acknowledgements of nothing that a datagram may have: ENet repeats those of what the server
    // has repeated. What follows more than these is cut off.
    PEER_GUARD_ACKS = 8,
    // Anybody can forge a DISCONNECT to a peer that is not encrypted. It is believed of a peer that
    // has sent nothing else for so long (an honest one sends nothing more, and repeats it), and,
    // where it came once only, of one that sent nothing for so long afterwards.
    PEER_GUARD_SILENCE_MS = 250,
    PEER_GUARD_DISCONNECT_MS = 1000,
};

// What is kept of a peer.
struct peer_guard {
    uint64_t tick; // the last in which a datagram came, by the caller's count
    uint32_t datagrams, commands, reliable; // used of the buckets, as of that tick
    int64_t active_ms;                      // the last message, or ping behind it; 0: none yet
    int64_t disconnect_ms; // the first DISCONNECT since that was not believed; 0: none
    int64_t reset_ms;      // when the server resets the connection; 0: not set
    struct round_trip round_trip;
};

// What ENet knows of a channel that the peer sends on.
struct peer_guard_channel {
    uint16_t received; // reliable sequence number up to which everything has come
    uint64_t waiting;  // bit i: so has received + 1 + i
    uint32_t held;     // unreliable commands that wait for a reliable one
    uint64_t held_set; // their own sequence numbers, modulo 64
};

struct peer_guard_view {
    bool is_connected;      // connected, so that messages are taken
    bool is_connecting;     // will be, with the next acknowledgement that matches
    bool trusts_disconnect; // nobody else can send in its name, or the server ends it anyway
    uint32_t channels;      // that the peer has, up to 2
    struct peer_guard_channel channel[2];
    size_t waiting_bytes, max_waiting_bytes; // payload that ENet keeps, and may keep
};

// A reliable command that is to be acknowledged again.
struct peer_guard_repeat {
    uint8_t channel;
    uint16_t sequence;
};

struct peer_guard_report {
    size_t size; // of the datagram that is left, 0: nothing
    uint32_t repeats;
    struct peer_guard_repeat repeat[DATAGRAM_MAX_COMMANDS];
};

void peer_guard_init(struct peer_guard *guard);

// Counts a datagram; false where the peer has used up its datagrams or its commands. `tick`
// counts the caller's ticks.
bool peer_guard_admit(struct peer_guard *guard, uint64_t tick);

// Cuts out of a DATAGRAM_OK that peer_guard_admit has counted what ENet must not see, and takes all
// that it leaves for delivered. Counts commands that are refused. Also takes the effect from
// commands that would limit the server, corrects the times that acknowledgements tell, and lets
// unreliable messages come after a reliable one that was sent later.
void peer_guard_filter(struct peer_guard *guard, const struct peer_guard_view *view, uint8_t *data,
                       size_t size, int64_t now_ms, uint64_t refused[DATAGRAM_VERDICTS],
                       struct peer_guard_report *report);

// When the connection is to be reset, if nothing more comes; INT64_MAX where it is not.
int64_t peer_guard_deadline_ms(const struct peer_guard *guard);
