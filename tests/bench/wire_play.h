// SPDX-License-Identifier: MIT
// Plays a match with simulated clients through the whole server except its sockets: each sends
// HELLO, inputs that a bot's brain computes from its snapshots, and acknowledgements, over a
// network with latency and loss. Every message of the match is read back and compared with the
// world.
#pragma once

#include "map.h"
#include "snapshot.h"

struct play;

struct play_def {
    const struct raim_map *map; // borrowed
    uint32_t players;
    uint32_t delay_ticks; // each way, 1 to 7
    double loss;          // of snapshots, and of inputs: 0 to 1
    uint64_t seed;
};

// One client's snapshot of a tick.
struct play_telling {
    const struct raim_wire_frame *frame;    // the client's frame after reading
    const struct raim_wire_frame *baseline; // that the snapshot was written against, or NULL
    uint32_t near_tick;                     // newest tick that the client has
    const uint8_t *bytes;
    size_t size;      // of the message; 0: nothing was sent
    uint32_t visible; // living players in the frame, its own among them
    uint32_t moving;  // players who moved in the tick
};

// The cost of a tick, in ns, and of what beside snapshots it sent.
struct play_cost {
    int64_t step_ns;     // raim_match_step: the world, history, and what views share
    int64_t world_ns;    // raim_world_step alone, of the same tick
    int64_t outgoing_ns; // finding what is visible and writing it, for all clients
    uint32_t told;       // clients that received a snapshot or could have
    uint64_t event_bytes;
};

// NULL when memory runs out.
struct play *play_create(const struct play_def *def);
void play_destroy(struct play *play);

// Plays a tick. False, after a line on stderr, when anything that was sent is wrong.
bool play_tick(struct play *play);

const struct raim_wire_limits *play_limits(const struct play *play);
struct play_cost play_last_cost(const struct play *play);

// A client's snapshot of the last tick; false before its first snapshot. The frames are valid until
// the next tick.
bool play_telling_of(const struct play *play, uint32_t client, struct play_telling *telling);

// Messages that the match rejected.
uint64_t play_rejected(const struct play *play);
