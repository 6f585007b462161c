// SPDX-License-Identifier: MIT
// The keys of the group `votes` of an arena.
#pragma once

#include "reader.h"

const struct reader_key *config_vote_keys(int *count);
