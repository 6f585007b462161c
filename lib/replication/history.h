// SPDX-License-Identifier: MIT
// Snapshot history: a ring of the world's recent ticks in the wire's integers. One frame is
// quantised per tick and shared by all clients: it is sent, and later is the baseline of deltas, as
// in the snapshot ring of Quake III's server.
#pragma once

#include "snapshot.h"
#include "world.h"

#include <stdbool.h>

struct raim_history {
    struct raim_wire_limits limits;
    uint32_t ticks; // frames kept
    // By tick modulo `ticks`. The sets hold all living players and all flying bullets. For a player
    // who is down, x and y hold the position of death. `self` is not used.
    struct raim_wire_frame *frames;
    // By tick modulo `ticks`, then by slot.
    struct raim_history_self {
        raim_wire_self self; // as sent to the client that steers, without the margin
        bool has_spawned;    // false until its first spawn: the player has no position
    } * selves;
    void *memory;
};

// The limits that both ends derive from a world.
struct raim_wire_limits raim_wire_limits_of(const struct raim_world *world);

// Allocates frames for at least the last `ticks` ticks, rounded up to a power of two. Returns false
// when memory runs out. Destroy the history in both cases.
bool raim_history_create(struct raim_history *history, const struct raim_wire_limits *limits,
                         uint32_t ticks);
void raim_history_destroy(struct raim_history *history);

// The frame of a tick, which must be among the last `ticks` recorded.
static inline const struct raim_wire_frame *raim_history_at(const struct raim_history *history,
                                                            uint32_t tick)
{
    const struct raim_wire_frame *frame = &history->frames[tick % history->ticks];
    assert(frame->tick == tick);
    return frame;
}

static inline const struct raim_history_self *
raim_history_self_at(const struct raim_history *history, uint32_t tick, uint32_t slot)
{
    return &history->selves[tick % history->ticks * history->limits.players + slot];
}

// Quantises the world into the frame of its tick. Replaces the oldest frame.
void raim_history_record(struct raim_history *history, const struct raim_world *world);

// Copies the frame of a tick from another history with equal limits.
void raim_history_copy(struct raim_history *history, const struct raim_history *from,
                       uint32_t tick);

// Quantises a coordinate to the wire's grid of 1/32 unit; halves round up.
int32_t raim_quantise(double units);

// Converts a point of the wire's grid to units, without loss.
static inline raim_vec2 raim_units(int32_t x, int32_t y)
{
    return (raim_vec2){x / (double)RAIM_WIRE_UNITS, y / (double)RAIM_WIRE_UNITS};
}
