// SPDX-License-Identifier: MIT
// Reference encoding of snapshots for comparison: changed fields against the baseline without
// prediction, each as a small or medium difference or whole. Bullets are told once, as their
// launch, and so cost nothing while they fly; what a field is made of is the same as in the
// product, but for the way of players, which only predictions need.
#pragma once

#include "snapshot.h"

// As raim_snapshot_write, and whole where the baseline is NULL.
size_t plain_delta_write(const struct raim_wire_limits *limits,
                         const struct raim_wire_frame *baseline,
                         const struct raim_wire_frame *frame, uint8_t *bytes, size_t capacity);

// Reads a message back, given the baseline it was written against.
bool plain_delta_read(const struct raim_wire_limits *limits, const struct raim_wire_frame *baseline,
                      const uint8_t *bytes, size_t size, struct raim_wire_frame *frame);
