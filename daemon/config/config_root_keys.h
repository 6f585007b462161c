// SPDX-License-Identifier: MIT
// The keys outside of the arenas, most of them in groups. See config_keys.h.
#pragma once

#include "reader.h"

// The table and the number of its rows.
const struct reader_key *config_root_keys(int *count);

// Reports the keys of earlier versions, with the names that they have now.
void config_reject_renamed(reader_node root);
