// SPDX-License-Identifier: MIT
// Bot players: turns an observation into the input for a tick. A bot has no access to the world, so
// a bot in the server and a bot behind a client have the same information. A skilled bot uses its
// observation only when it decides, about every tenth of a second, and remembers it until then.
// Units: positions are in units, velocities in units/s. Thread rule: a bot belongs to one thread at
// a time; the functions keep no state.
#pragma once

#include "world.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct raim_bot_paths; // see bot_paths.h

#define RAIM_BOT_MAX_ENEMIES 32 // callers pass the nearest ones

enum raim_bot_skill {
    RAIM_BOT_WANDERS, // runs at random, for load generators and benches
    RAIM_BOT_EASY,
    RAIM_BOT_NORMAL,
    RAIM_BOT_HARD,
    RAIM_BOT_SKILLS,
};

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
    enum raim_bot_skill skill;
    // Of a skilled bot alone:
    const struct raim_bot_paths *paths;
    uint32_t players;        // in the match; the fewer, the more a bot keeps to the busiest places
    uint32_t cooldown_ticks; // until it may fire again
};

// The memory of a bot. Initialise it with raim_bot_init.
struct raim_bot {
    uint64_t random;
    raim_vec2 goal;          // destination while it has no target
    raim_vec2 decided_from;  // position at the last decision
    raim_vec2 seen;          // position of the target when it was last seen
    raim_vec2 seen_velocity; // its velocity then
    uint32_t target;         // an enemy's key, 0: none
    uint32_t seen_tick;
    uint32_t noticed_tick;   // when it began to see its target
    uint32_t decision_tick;  // when to decide again
    uint32_t goal_tick;      // when to abandon the goal
    uint32_t place;          // of its paths, with the goal of a place
    int32_t stuck_decisions; // consecutive decisions without movement
    raim_angle aim;
    int16_t aim_error;
    int8_t move_x, move_y;
    int8_t strafe;         // -1 or 1
    uint8_t goal_kind;     // enum of bot.c
    uint8_t holds_fire;    // 0 or 1
    uint8_t seen_shielded; // 0 or 1
    uint16_t reserved;
};

// Initialises a bot. Any seed is valid.
void raim_bot_init(struct raim_bot *bot, uint64_t seed);

// Whether a bot decides in a tick. In other ticks a skilled one ignores the enemies.
static inline bool raim_bot_decides(const struct raim_bot *bot, uint32_t tick)
{
    return raim_tick_diff(tick, bot->decision_tick) >= 0;
}

// Returns the input for the tick of the observation. Call it once per tick while the bot is alive.
raim_input raim_bot_think(struct raim_bot *bot, const struct raim_bot_observation *sight);

#ifdef __cplusplus
}
#endif
