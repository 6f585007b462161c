// SPDX-License-Identifier: MIT
// What a head and an index tell of a recording.
// Thread rule: the functions are pure; any thread may call them.
#pragma once

#include "recording_index.h"

// The info of a recording with at least one frame; `is_complete` is not set.
struct raim_recording_info raim_recording_info_of(const struct raim_recording_head *head,
                                                  const struct raim_recording_index *index);
