// SPDX-License-Identifier: MIT
// Lets a bot play the player of a slot, as the server would: it sees the players in its view.
#pragma once

#include "bot.h"

#include <math.h>

static const raim_vec2 bot_fixture_view = {1600, 861};

// The input of the bot in slot `own` for this tick. A blind bot sees no players. One without paths
// wanders.
static inline raim_input bot_fixture_think_as(const struct raim_world *world,
                                              const struct raim_map *map, struct raim_bot *bot,
                                              uint32_t own, bool blind, enum raim_bot_skill skill,
                                              const struct raim_bot_paths *paths)
{
    const raim_player *players = raim_world_players_const(world);
    struct raim_bot_enemy enemies[RAIM_BOT_MAX_ENEMIES];
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < world->max_players && count < RAIM_BOT_MAX_ENEMIES; slot++) {
        const raim_player *player = &players[slot];
        const raim_vec2 offset = raim_vec2_sub(player->position, players[own].position);
        if (blind || slot == own || player->state != RAIM_PLAYER_ALIVE ||
            fabs(offset.x) > bot_fixture_view.x / 2 || fabs(offset.y) > bot_fixture_view.y / 2)
            continue;
        enemies[count++] = (struct raim_bot_enemy){
            .key = (uint32_t)player->id << 8 | player->life,
            .position = player->position,
            .velocity =
                raim_vec2_scale(raim_vec2_sub(player->position, player->previous), world->tick_hz),
            .shielded = player->shield_ticks > 0,
        };
    }
    const struct raim_bot_observation sight = {
        .map = map,
        .rules = &world->rules,
        .tick = world->tick,
        .tick_hz = world->tick_hz,
        .position = players[own].position,
        .enemies = enemies,
        .enemy_count = count,
        .skill = skill,
        .paths = paths,
        .players = world->max_players,
        .cooldown_ticks = players[own].cooldown_ticks,
    };
    return raim_bot_think(bot, &sight);
}

static inline raim_input bot_fixture_think(const struct raim_world *world,
                                           const struct raim_map *map, struct raim_bot *bot,
                                           uint32_t own, bool blind)
{
    return bot_fixture_think_as(world, map, bot, own, blind, RAIM_BOT_WANDERS, NULL);
}
