// SPDX-License-Identifier: MIT
// Validation of worlds and bots from untrusted bytes, such as a checkpoint. A world that passes has
// all properties that the code relies on: it can be stepped and sent without a failing assertion.
// Thread rule: the functions are pure; any thread may call them.
#pragma once

#include "bot.h"

// Returns whether all players, all bullets and the position history are valid. The rules and sizes
// of the world must already be those of an initialised world.
bool raim_world_is_valid(const struct raim_world *world, const struct raim_map *map);

// Returns whether the memory of a bot is valid.
bool raim_bot_is_valid(const struct raim_bot *bot);
