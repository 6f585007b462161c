// SPDX-License-Identifier: MIT
// Whether bytes that claim to be a world are one that play could have led to, as far as anything
// relies on it: whatever passes can be stepped and told for ever without breaking an assertion.
#pragma once

#include "bot.h"

// Looks at everybody, every bullet and the past. The world's rules and sizes must be right: those
// of a world that has been made.
bool raim_world_is_sound(const struct raim_world *world, const struct raim_map *map);

// The same of a bot's memory.
bool raim_bot_is_sound(const struct raim_bot *bot);
