// SPDX-License-Identifier: MIT
// The shared history of the world in the wire's integers: one frame a tick, made once and used for
// every client, as what is told now and later as the baseline of what is told then.
#pragma once

#include "snapshot.h"
#include "world.h"

#include <stdbool.h>

struct raim_history {
    struct raim_wire_limits limits;
    uint32_t ticks; // frames kept
    // By tick modulo `ticks`. The sets hold everybody who lives and flies; of those who are down,
    // x and y still tell where they fell. `self` is not used.
    struct raim_wire_frame *frames;
    // By tick modulo `ticks`, then by place.
    struct raim_history_self {
        raim_wire_self self; // as the one who steers is told it, but for the margin
        bool has_spawned;    // ever: who has not yet stands nowhere
    } * selves;
    void *memory;
};

// What both ends know of a world's arena.
struct raim_wire_limits raim_history_limits(const struct raim_world *world);

// False when memory runs out.
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

// Writes the world down as the frame of its tick.
void raim_history_record(struct raim_history *history, const struct raim_world *world);

// Takes over a frame of another history of the same arena.
void raim_history_copy(struct raim_history *history, const struct raim_history *from,
                       uint32_t tick);

// A position on the wire's grid, to the nearest 1/32 unit, halves up.
int32_t raim_quantise(double units);

// The position in units of a point of the grid, exactly.
static inline raim_vec2 raim_units(int32_t x, int32_t y)
{
    return (raim_vec2){x / (double)RAIM_WIRE_UNITS, y / (double)RAIM_WIRE_UNITS};
}
