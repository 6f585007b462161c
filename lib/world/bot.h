// SPDX-License-Identifier: MIT
// Bot players: turns an observation into the input for a tick. A bot has no access to the world, so
// a bot in the server and a bot behind a client have the same information. Units: positions are in
// units, velocities in units/s. Thread rule: a bot belongs to one thread at a time; the functions
// keep no state.
#pragma once

#include "world.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RAIM_BOT_MAX_ENEMIES 32 // callers pass the nearest ones

struct raim_bot_enemy {
    uint32_t key; // identifies a player in one life; not 0
    raim_vec2 position;
    raim_vec2 velocity; // units/s
    bool shielded;
};

// The observation of a bot before a tick. The pointers are borrowed.
struct raim_bot_observation {
    const struct raim_map *map;
    const raim_rules *rules;
    uint32_t tick, tick_hz;
    raim_vec2 position;                   // of the bot
    const struct raim_bot_enemy *enemies; // inside its view; the bot tests the walls itself
    uint32_t enemy_count;
};

// The memory of a bot. Initialise it with raim_bot_init.
struct raim_bot {
    uint64_t random;
    raim_vec2 goal;          // destination while it has no target
    raim_vec2 decided_from;  // position at the last decision
    uint32_t target;         // an enemy's key, 0: none
    uint32_t decision_tick;  // when to decide again
    uint32_t goal_tick;      // when to abandon the goal
    int32_t stuck_decisions; // consecutive decisions without movement
    raim_angle aim;
    int16_t aim_error;
    int8_t move_x, move_y;
    int8_t strafe; // -1 or 1
    int8_t reserved;
};

// Initialises a bot. Any seed is valid.
void raim_bot_init(struct raim_bot *bot, uint64_t seed);

// Returns the input for the tick of the observation. Call it once per tick while the bot is alive.
raim_input raim_bot_think(struct raim_bot *bot, const struct raim_bot_observation *sight);

#ifdef __cplusplus
}
#endif
