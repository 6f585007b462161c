// SPDX-License-Identifier: MIT
// A bot's brain: from what a bot can see to what it presses. It has no access to the world, so a
// bot of the server and a bot behind a client play by the same rules of sight.
#pragma once

#include "world.h"

#include <stdint.h>

#define RAIM_BOT_MAX_ENEMIES 32 // nearer ones matter more: callers pass the nearest

struct raim_bot_enemy {
    uint32_t key; // the same player in the same life has the same key
    raim_vec2 position;
    raim_vec2 velocity; // units/s
    bool shielded;
};

// What a bot sees before a tick.
struct raim_bot_sight {
    const struct raim_map *map;
    const raim_rules *rules;
    uint32_t tick, tick_hz;
    raim_vec2 position;                   // its own
    const struct raim_bot_enemy *enemies; // inside its view; walls are the brain's own business
    uint32_t enemy_count;
};

// What it remembers. Start from raim_bot_init.
struct raim_bot {
    uint64_t random;
    raim_vec2 goal;          // where it wanders to
    raim_vec2 decided_from;  // where it was at the last look around
    uint32_t target;         // an enemy's key, 0: none
    uint32_t decision_tick;  // when to look around again
    uint32_t goal_tick;      // when to give the goal up
    int32_t stuck_decisions; // looks in a row without having moved
    raim_angle aim;
    int16_t aim_error;
    int8_t move_x, move_y;
    int8_t strafe; // -1 or 1
    int8_t reserved;
};

void raim_bot_init(struct raim_bot *bot, uint64_t seed);

// The input for the tick in `sight`. Call it once a tick while the bot is alive.
raim_input raim_bot_think(struct raim_bot *bot, const struct raim_bot_sight *sight);
