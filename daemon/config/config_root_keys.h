// SPDX-License-Identifier: MIT
// The keys outside of the arenas: the status, the control, recordings, rooms, the orchestrator. See
// config_keys.h.
#pragma once

#include "reader.h"

// The table and the number of its rows.
const struct reader_key *config_root_keys(int *count);

// The table of the keys of recording_keep.
const struct reader_key *config_keep_keys(int *count);
