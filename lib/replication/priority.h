// SPDX-License-Identifier: MIT
// Priority scheduling: selects the entities of a snapshot when all visible ones exceed one message.
// Priorities accumulate while an entity waits (Fiedler, "State Synchronization", 2015).
#pragma once

#include "snapshot.h"

// An entity that competes for room in the snapshot.
struct raim_priority_entry {
    float urgency;
    uint32_t slot;
    bool is_bullet;
};

struct raim_priority {
    const struct raim_wire_limits *limits;
    uint32_t tick_hz;
    double player_speed, bullet_speed;   // units/s
    struct raim_priority_entry *entries; // scratch, with room for every player and bullet
    // Per player slot, then per bullet slot: the number of ticks, up to 255, for which the entity
    // was visible but not sent. The array belongs to the client and persists between snapshots.
    uint8_t *waited;
};

// Writes a snapshot of at most `capacity` bytes and removes the entities that do not fit from the
// frame's sets. Adds the player `frame->self.slot`, if visible, first, then the entities that are
// near the grid point (x, y) or fast. The urgency of the others grows with each tick that they
// wait. A player waits at most RAIM_PRIORITY_PATIENCE_S, provided that messages have room to send
// every player once in half of that time.
#define RAIM_PRIORITY_PATIENCE_S 0.25
size_t raim_priority_write(const struct raim_priority *priority,
                           const struct raim_wire_frame *baseline, struct raim_wire_frame *frame,
                           int32_t x, int32_t y, uint8_t *bytes, size_t capacity);
