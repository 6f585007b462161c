// SPDX-License-Identifier: MIT
// The effect of a player's own input in one tick, without other players. The server's step and a
// client's prediction share these rules.
// Units: as in world.h.
// Thread rule: the functions keep no state; any threads may share the map.
#pragma once

#include "world.h"

// The parameters of a tick that are common to all players. The pointers are borrowed.
struct raim_tick_context {
    const struct raim_map *map;
    const raim_rules *rules;
    struct raim_stride stride; // raim_world_stride
    uint32_t tick_hz;
    uint32_t tick; // that is played
};

// Advances the timers of a player and, if it is alive, moves and aims it.
void raim_player_move(raim_player *player, const raim_input *input,
                      const struct raim_tick_context *context);

// Returns the aim of a bullet of a shot, 0 to pellets - 1. The bullets fan out evenly.
raim_angle raim_pellet_aim(const raim_rules *rules, raim_angle aim, uint32_t pellet);

// Fires a shot if the player is alive, the input asks for it and the cooldown is over. Returns true
// with the new bullets, of which there are as many as the rules say, and counts them. The caller
// stores them in the player's next bullet slots; shots use the slots in turn. Do not call this when
// one of the slots is taken; the shot is then dry.
bool raim_player_fire(raim_player *player, const raim_input *input,
                      const struct raim_tick_context *context, raim_bullet *bullets);
