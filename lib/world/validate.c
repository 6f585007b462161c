// SPDX-License-Identifier: MIT
// Checks worlds and bots that come from outside.
#include "validate.h"

#include <string.h>

enum {
    GENERATIONS = 64, // one more than a place's last
    STUCK_LOOKS = 5,  // a bot looks around at once after so many
};

// Comparisons that a NaN fails.
static bool is_on_grid(raim_vec2 point)
{
    const raim_box reach = {{-RAIM_MAP_REACH, -RAIM_MAP_REACH}, {RAIM_MAP_REACH, RAIM_MAP_REACH}};
    if (!raim_box_contains(reach, point))
        return false;
    const raim_vec2 rounded = raim_map_round(point);
    return rounded.x == point.x && rounded.y == point.y;
}

static bool is_standing(const struct raim_world *world, const struct raim_map *map,
                        const raim_player *player)
{
    return raim_box_contains(map->border, player->position) &&
           raim_box_contains(map->border, player->previous) &&
           raim_map_is_free(map, player->position, world->rules.player_radius);
}

static bool is_player(const struct raim_world *world, const struct raim_map *map, uint32_t place)
{
    const raim_player *player = &raim_world_players_const(world)[place];
    const raim_rules *rules = &world->rules;
    if (player->generation >= GENERATIONS)
        return false;
    if (player->state == RAIM_PLAYER_ABSENT) {
        const raim_player absent = {.generation = player->generation, .life = player->life};
        return memcmp(player, &absent, sizeof absent) == 0;
    }
    return player->state <= RAIM_PLAYER_ALIVE && player->generation > 0 &&
           player->id == player->generation * RAIM_MAX_PLAYERS + place && player->away <= 1 &&
           player->reserved == 0 && is_on_grid(player->position) && is_on_grid(player->previous) &&
           player->cooldown_ticks <= raim_ticks_of(rules->fire_cooldown, world->tick_hz) &&
           player->respawn_ticks <= raim_ticks_of(rules->respawn_delay, world->tick_hz) &&
           player->shield_ticks <= raim_ticks_of(rules->spawn_protection, world->tick_hz) &&
           (player->state != RAIM_PLAYER_ALIVE || is_standing(world, map, player));
}

static bool is_bullet(const struct raim_world *world, const struct raim_map *map, uint32_t place)
{
    static const raim_bullet none;
    const raim_bullet *bullet = &raim_world_bullets_const(world)[place];
    const raim_player *shooter = &raim_world_players_const(world)[place / world->shots];
    if (bullet->owner == RAIM_NOBODY)
        return memcmp(bullet, &none, sizeof none) == 0;
    const raim_vec2 direction = raim_angle_direction(bullet->aim);
    const int32_t age = raim_tick_diff(world->tick, bullet->born_tick);
    const int32_t lifetime = raim_ticks_of(world->rules.bullet_lifetime, world->tick_hz);
    return bullet->owner == shooter->id && bullet->rewind <= world->max_rewind &&
           age > bullet->rewind && age < lifetime && bullet->direction.x == direction.x &&
           bullet->direction.y == direction.y && is_on_grid(bullet->origin) &&
           raim_box_contains(map->border, bullet->origin) &&
           raim_box_contains(map->border, raim_bullet_position(&world->rules, bullet, world->tick,
                                                               world->tick_hz)) &&
           bullet->reserved[0] == 0 && bullet->reserved[1] == 0 && bullet->reserved[2] == 0;
}

static bool is_past(const struct raim_world *world, const struct raim_map *map, uint32_t age,
                    uint32_t place)
{
    static const uint8_t zero[sizeof((raim_position_history *)NULL)->reserved];
    const raim_position_history *past = &raim_world_past_const(world, world->tick - age)[place];
    return past->state <= RAIM_PLAYER_ALIVE && past->shielded <= 1 && is_on_grid(past->position) &&
           (past->state != RAIM_PLAYER_ALIVE || raim_box_contains(map->border, past->position)) &&
           memcmp(past->reserved, zero, sizeof zero) == 0;
}

bool raim_world_is_sound(const struct raim_world *world, const struct raim_map *map)
{
    bool sound = true;
    for (uint32_t place = 0; sound && place < world->max_players; place++) {
        sound = is_player(world, map, place);
        for (uint32_t age = 1; sound && age <= world->past_ticks; age++)
            sound = is_past(world, map, age, place);
    }
    for (uint32_t place = 0; sound && place < world->max_bullets; place++)
        sound = is_bullet(world, map, place);
    return sound;
}

bool raim_bot_is_sound(const struct raim_bot *bot)
{
    // A goal may lie beyond the border, but not by much.
    const raim_box reach = {{-2 * RAIM_MAP_REACH, -2 * RAIM_MAP_REACH},
                            {2 * RAIM_MAP_REACH, 2 * RAIM_MAP_REACH}};
    return raim_box_contains(reach, bot->goal) && raim_box_contains(reach, bot->looked_from) &&
           bot->stuck_looks >= 0 && bot->stuck_looks <= STUCK_LOOKS && bot->move_x >= -1 &&
           bot->move_x <= 1 && bot->move_y >= -1 && bot->move_y <= 1 &&
           (bot->strafe == -1 || bot->strafe == 1) && bot->reserved == 0;
}
