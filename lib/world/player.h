// SPDX-License-Identifier: MIT
// What a player's own input does to it in a tick, bar what the others do: the one place of these
// rules, for the server's step and for a client's prediction of itself.
#pragma once

#include "world.h"

// What is the same for everybody in a tick.
struct raim_moment {
    const struct raim_map *map;
    const raim_rules *rules;
    struct raim_stride stride; // raim_world_stride
    uint32_t tick_hz;
    uint32_t tick; // that is played
};

// Runs and aims, if it lives, and lets its timers run.
void raim_player_move(raim_player *player, const raim_input *input,
                      const struct raim_moment *context);

// Fires, if it lives, wishes to and may: makes the bullet and counts it. The bullet belongs in the
// place `player->shots % world->shots`, of `shots` before the call, of the player's; where that is
// still taken, the shot is dry, and this is not to be called.
bool raim_player_fire(raim_player *player, const raim_input *input,
                      const struct raim_moment *context, raim_bullet *bullet);
