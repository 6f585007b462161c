// SPDX-License-Identifier: MIT
// What fits: chooses what a snapshot tells where all that can be seen is more than a message holds.
#pragma once

#include "snapshot.h"

// Something that wants to be told.
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
    // Ticks that each player, then each bullet, has been in sight and untold, up to 255. It stays
    // with the client.
    uint8_t *waited;
};

// Writes a snapshot of what a message of `capacity` bytes has room for, and takes the rest out of
// the frame's sets. The player `frame->self.place` stays; around the point (x, y) of the grid, the
// nearest and the fastest come first; all else grows more urgent with each tick that it waits. No
// player waits longer than RAIM_PRIORITY_PATIENCE_S, as long as messages have room to tell
// everybody once in half of that time.
#define RAIM_PRIORITY_PATIENCE_S 0.25
size_t raim_priority_write(const struct raim_priority *priority,
                           const struct raim_wire_frame *baseline, struct raim_wire_frame *frame,
                           int32_t x, int32_t y, uint8_t *bytes, size_t capacity);
