// SPDX-License-Identifier: MIT
// SNAPSHOT: what one client may see in one tick, whole or against a snapshot that it has
// acknowledged. Both ends move the baseline on by the same rule (frame.h); only what the rule
// does not know travels. Writing takes entities from frames that all clients share plus one set of
// places per client; reading fills a frame of the client's own.
#pragma once

#include "frame.h"

// What stands before the entities.
struct raim_snapshot_header {
    uint32_t tick;
    uint32_t baseline_age; // ticks back to the baseline, below limits->history; 0: none
};

// Writes a snapshot against a baseline frame, or whole where that is NULL. Returns its size, or 0
// when it does not fit.
size_t raim_snapshot_write(const struct raim_wire_limits *limits,
                           const struct raim_wire_frame *baseline,
                           const struct raim_wire_frame *frame, uint8_t *bytes, size_t capacity);

// The bits that an entity of `frame` adds to raim_snapshot_write, and, for those in the baseline
// alone, to have gone. With RAIM_SNAPSHOT_FIXED_BITS for everything else, a snapshot fits where
// their sum does.
uint32_t raim_snapshot_player_bits(const struct raim_wire_limits *limits,
                                   const struct raim_wire_frame *baseline,
                                   const struct raim_wire_frame *frame, uint32_t slot);
uint32_t raim_snapshot_bullet_bits(const struct raim_wire_limits *limits,
                                   const struct raim_wire_frame *baseline,
                                   const struct raim_wire_frame *frame, uint32_t slot);
#define RAIM_SNAPSHOT_FIXED_BITS 102 // at most, without the last byte's padding

// Reading is in two parts: the header names the baseline that the caller then looks up. A delta
// tells its tick modulo twice the history: it is the one nearest to `near_tick`, the newest that
// the reader knows of. Nearer is what can be told: the reader has acknowledged the baseline, and
// what is older than the history it no longer needs. (ENet drops what comes after something newer.)
bool raim_snapshot_read_header(raim_reader *reader, const struct raim_wire_limits *limits,
                               uint32_t near_tick, struct raim_snapshot_header *header);

// Fills `frame`, whose arrays have room for the limits. On false its contents are unspecified.
bool raim_snapshot_read(raim_reader *reader, const struct raim_snapshot_header *header,
                        const struct raim_wire_limits *limits,
                        const struct raim_wire_frame *baseline, struct raim_wire_frame *frame);
