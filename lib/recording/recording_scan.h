// SPDX-License-Identifier: MIT
// Collects the index of a file that has none, from all of its whole data frames.
// Thread rule: the functions keep no state; any thread may call them.
#pragma once

#include "recording_frame.h"
#include "recording_index.h"

// Fills an empty index with the whole frames behind the head, up to the first bytes that are no
// frame continuing those before. Returns false where memory runs out.
bool raim_recording_scan(struct raim_recording_index *index, struct raim_packer *packer,
                         const struct raim_recording_head *head, const uint8_t *bytes, size_t size);
