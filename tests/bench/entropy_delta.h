// SPDX-License-Identifier: MIT
// Experimental encoding of snapshots for comparison: the product's decisions, written by an
// adaptive binary range coder instead of plain bits. Both ends begin every message with the same
// odds, learnt from other matches, and go on learning within it: messages get lost, so nothing can
// be kept from one to the next.
#pragma once

#include "range_coder.h"
#include "snapshot.h"

// The contexts that decisions are made in.
#define ENTROPY_CONTEXTS 1600

struct entropy_counts {
    uint64_t seen[ENTROPY_CONTEXTS][2]; // zeros and ones
};

struct entropy_odds {
    uint16_t odds[ENTROPY_CONTEXTS];
};

// Adds a snapshot's decisions to the counts, and turns counts into odds.
void entropy_delta_learn(struct entropy_counts *counts, const struct raim_wire_limits *limits,
                         const struct raim_wire_frame *baseline,
                         const struct raim_wire_frame *frame);
void entropy_odds_from(struct entropy_odds *odds, const struct entropy_counts *counts);

// As raim_snapshot_write, and whole where the baseline is NULL.
size_t entropy_delta_write(const struct entropy_odds *odds, const struct raim_wire_limits *limits,
                           const struct raim_wire_frame *baseline,
                           const struct raim_wire_frame *frame, uint8_t *bytes, size_t capacity);

// Reads a message back, given the baseline it was written against and a tick near its own.
bool entropy_delta_read(const struct entropy_odds *odds, const struct raim_wire_limits *limits,
                        const struct raim_wire_frame *baseline, uint32_t near_tick,
                        const uint8_t *bytes, size_t size, struct raim_wire_frame *frame);
