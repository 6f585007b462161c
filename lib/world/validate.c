// SPDX-License-Identifier: MIT
// Checks worlds and bots that come from untrusted bytes.
#include "validate.h"

#include <string.h>

enum {
    GENERATIONS = 64,                        // one more than the largest generation of a slot
    STUCK_DECISIONS = 5,                     // a bot chooses a new goal after this many
    BOT_VELOCITY = 2 * RAIM_MAP_REACH * 240, // across the reach in a tick, in units/s
};

// Returns true for a point of the grid within the reach. All comparisons are false for NaN.
static bool is_on_grid(raim_vec2 point)
{
    const raim_box reach = {{-RAIM_MAP_REACH, -RAIM_MAP_REACH}, {RAIM_MAP_REACH, RAIM_MAP_REACH}};
    if (!raim_box_contains(reach, point))
        return false;
    const raim_vec2 rounded = raim_map_round(point);
    return rounded.x == point.x && rounded.y == point.y;
}

static bool stands_validly(const struct raim_world *world, const struct raim_map *map,
                           const raim_player *player)
{
    return raim_box_contains(map->border, player->position) &&
           raim_box_contains(map->border, player->previous) &&
           raim_map_is_free(map, player->position, world->rules.player_radius);
}

static bool is_player_valid(const struct raim_world *world, const struct raim_map *map,
                            uint32_t slot)
{
    const raim_player *player = &raim_world_players_const(world)[slot];
    const raim_rules *rules = &world->rules;
    if (player->generation >= GENERATIONS)
        return false;
    if (player->state == RAIM_PLAYER_ABSENT) {
        const raim_player absent = {.generation = player->generation, .life = player->life};
        return memcmp(player, &absent, sizeof absent) == 0;
    }
    return player->state <= RAIM_PLAYER_ALIVE && player->generation > 0 &&
           player->id == player->generation * RAIM_MAX_PLAYERS + slot && player->away <= 1 &&
           player->health <= rules->health &&
           (player->health > 0) == (player->state == RAIM_PLAYER_ALIVE) &&
           is_on_grid(player->position) && is_on_grid(player->previous) &&
           player->cooldown_ticks <= raim_ticks_of(rules->fire_cooldown, world->tick_hz) &&
           player->respawn_ticks <= raim_ticks_of(rules->respawn_delay, world->tick_hz) &&
           player->shield_ticks <= raim_ticks_of(rules->spawn_protection, world->tick_hz) &&
           (player->state != RAIM_PLAYER_ALIVE || stands_validly(world, map, player));
}

static bool is_bullet_valid(const struct raim_world *world, const struct raim_map *map,
                            uint32_t slot)
{
    static const raim_bullet none;
    const raim_bullet *bullet = &raim_world_bullets_const(world)[slot];
    const raim_player *shooter = &raim_world_players_const(world)[slot / world->bullets_per_player];
    if (bullet->owner == RAIM_NOBODY)
        return memcmp(bullet, &none, sizeof none) == 0;
    const raim_vec2 direction = raim_angle_direction(bullet->aim);
    const int32_t age = raim_tick_diff(world->tick, raim_bullet_launch_tick(bullet));
    const int32_t lifetime = raim_ticks_of(world->rules.bullet_lifetime, world->tick_hz);
    const bool is_first = bullet->bounces == 0;
    return bullet->owner == shooter->id && bullet->rewind <= world->max_rewind &&
           age > bullet->rewind && age < lifetime && age >= bullet->flown &&
           bullet->bounces <= world->rules.bounces && (bullet->flown == 0) == is_first &&
           bullet->direction.x == direction.x && bullet->direction.y == direction.y &&
           is_on_grid(bullet->origin) &&
           raim_box_contains(raim_box_grow(map->border, is_first ? 0 : world->rules.player_radius),
                             bullet->origin) &&
           raim_box_contains(map->border, raim_bullet_position(&world->rules, bullet, world->tick,
                                                               world->tick_hz)) &&
           bullet->reserved == 0;
}

static bool is_sample_valid(const struct raim_world *world, const struct raim_map *map,
                            uint32_t age, uint32_t slot)
{
    static const uint8_t zero[sizeof((raim_position_sample *)NULL)->reserved];
    const raim_position_sample *recorded =
        &raim_world_history_const(world, world->tick - age)[slot];
    return recorded->state <= RAIM_PLAYER_ALIVE && recorded->shielded <= 1 &&
           is_on_grid(recorded->position) &&
           (recorded->state != RAIM_PLAYER_ALIVE ||
            raim_box_contains(map->border, recorded->position)) &&
           memcmp(recorded->reserved, zero, sizeof zero) == 0;
}

bool raim_world_is_valid(const struct raim_world *world, const struct raim_map *map)
{
    bool valid = true;
    for (uint32_t slot = 0; valid && slot < world->max_players; slot++) {
        valid = is_player_valid(world, map, slot);
        for (uint32_t age = 1; valid && age <= world->history_length; age++)
            valid = is_sample_valid(world, map, age, slot);
    }
    for (uint32_t slot = 0; valid && slot < world->max_bullets; slot++)
        valid = is_bullet_valid(world, map, slot);
    return valid;
}

bool raim_bot_is_valid(const struct raim_bot *bot)
{
    // A goal may lie outside the border, by less than the reach.
    const raim_box reach = {{-2 * RAIM_MAP_REACH, -2 * RAIM_MAP_REACH},
                            {2 * RAIM_MAP_REACH, 2 * RAIM_MAP_REACH}};
    return raim_box_contains(reach, bot->goal) && raim_box_contains(reach, bot->decided_from) &&
           bot->stuck_decisions >= 0 && bot->stuck_decisions <= STUCK_DECISIONS &&
           raim_box_contains(reach, bot->seen) && fabs(bot->seen_velocity.x) < BOT_VELOCITY &&
           fabs(bot->seen_velocity.y) < BOT_VELOCITY && bot->move_x >= -1 && bot->move_x <= 1 &&
           bot->move_y >= -1 && bot->move_y <= 1 && (bot->strafe == -1 || bot->strafe == 1) &&
           bot->holds_fire <= 1 && bot->seen_shielded <= 1 && bot->reserved == 0;
}
