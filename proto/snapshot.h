// SPDX-License-Identifier: MIT
// SNAPSHOT: the entities visible to one client in one tick, whole or as a delta against a snapshot
// that it has acknowledged (Hook, "The Quake3 Networking Model"). Both ends first advance the
// baseline by the prediction rule of frame.h, so only deviations from it are sent. Writing takes
// entities from frames that all clients share plus a bit set of slots per client; reading fills a
// frame of the client's own.
#pragma once

#include "frame.h"

// The part before the entities.
struct raim_snapshot_header {
    uint32_t tick;
    uint32_t baseline_age; // ticks back to the baseline, below limits->history; 0: none
    uint32_t epoch;        // of a whole snapshot, see message.h; 0 for a delta
};

// Writes a snapshot against a baseline frame, or whole where that is NULL. Returns its size, or 0
// when it does not fit.
size_t raim_snapshot_write(const struct raim_wire_limits *limits,
                           const struct raim_wire_frame *baseline,
                           const struct raim_wire_frame *frame, uint8_t *bytes, size_t capacity);

// The bits that an entity of `frame` adds to a snapshot, or, for an entity of the baseline alone,
// the bits of its removal. A snapshot fits if their sum plus RAIM_SNAPSHOT_FIXED_BITS for
// everything else fits.
uint32_t raim_snapshot_player_bits(const struct raim_wire_limits *limits,
                                   const struct raim_wire_frame *baseline,
                                   const struct raim_wire_frame *frame, uint32_t slot);
uint32_t raim_snapshot_bullet_bits(const struct raim_wire_limits *limits,
                                   const struct raim_wire_frame *baseline,
                                   const struct raim_wire_frame *frame, uint32_t slot);
#define RAIM_SNAPSHOT_FIXED_BITS 107 // at most, without the last byte's padding

// Reading has two parts: the header names the baseline, which the caller then looks up. A whole
// snapshot carries the epoch under which it was written; a delta needs none, because its baseline,
// which the reader has acknowledged, is of its epoch. A delta
// carries its tick modulo twice the history; the reader takes the tick nearest to `near_tick`, the
// newest that it has received. That is unambiguous: the reader has acknowledged the baseline and
// does not need snapshots older than the history. (ENet drops snapshots that arrive after a newer
// one.)
bool raim_snapshot_read_header(raim_reader *reader, const struct raim_wire_limits *limits,
                               uint32_t near_tick, struct raim_snapshot_header *header);

// Fills `frame`, whose arrays have room for the limits. Returns false for a malformed message; the
// frame's contents are then unspecified.
bool raim_snapshot_read(raim_reader *reader, const struct raim_snapshot_header *header,
                        const struct raim_wire_limits *limits,
                        const struct raim_wire_frame *baseline, struct raim_wire_frame *frame);
