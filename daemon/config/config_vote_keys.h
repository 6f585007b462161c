// SPDX-License-Identifier: MIT
// The keys of the group `votes` of an arena.
#pragma once

#include "reader.h"

extern const struct reader_table config_vote_keys;
