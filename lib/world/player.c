// SPDX-License-Identifier: MIT
// Applies a player's own input: movement, aim, timers and shots.
#include "player.h"

#include "grid_move.h"

#include <assert.h>

static uint16_t count_down(uint16_t ticks)
{
    return ticks > 0 ? (uint16_t)(ticks - 1) : 0;
}

void raim_player_move(raim_player *player, const raim_input *input,
                      const struct raim_tick_context *context)
{
    // The cooldown runs while the player is down, too: a new life must not fire sooner.
    player->cooldown_ticks = count_down(player->cooldown_ticks);
    if (player->state != RAIM_PLAYER_ALIVE)
        return;
    assert(input->move_x >= -1 && input->move_x <= 1);
    assert(input->move_y >= -1 && input->move_y <= 1);
    player->previous = player->position;
    player->shield_ticks = count_down(player->shield_ticks);
    if (player->away)
        return;
    player->aim = input->aim;
    if (input->move_x == 0 && input->move_y == 0)
        return;
    const bool is_diagonal = input->move_x != 0 && input->move_y != 0;
    const int32_t stride = is_diagonal ? context->stride.diagonal : context->stride.straight;
    const double length = stride * RAIM_MAP_GRID;
    const raim_vec2 run = {input->move_x * length, input->move_y * length};
    player->position = raim_grid_move_run(context->map, player->position, run,
                                          context->rules->player_radius, context->tick);
}

raim_angle raim_pellet_aim(const raim_rules *rules, raim_angle aim, uint32_t pellet)
{
    const int32_t last = (int32_t)rules->pellets - 1;
    if (last == 0)
        return aim;
    const int32_t fan = (int32_t)(rules->spread * (RAIM_ANGLE_TURN / 360.0) + 0.5);
    return (raim_angle)(aim + fan * (2 * (int32_t)pellet - last) / (2 * last));
}

bool raim_player_fire(raim_player *player, const raim_input *input,
                      const struct raim_tick_context *context, raim_bullet *bullets)
{
    const uint32_t pellets = (uint32_t)context->rules->pellets;
    if (player->state != RAIM_PLAYER_ALIVE || player->away || !input->fire ||
        player->cooldown_ticks > 0)
        return false;
    assert(input->rewind <= RAIM_MAX_REWIND);
    for (uint32_t i = 0; i < pellets; i++) {
        const raim_angle aim = raim_pellet_aim(context->rules, player->aim, i);
        bullets[i] = (raim_bullet){
            .origin = player->position,
            .direction = raim_angle_direction(aim),
            .born_tick = context->tick - input->rewind,
            .owner = player->id,
            .aim = aim,
            .rewind = input->rewind,
        };
    }
    player->cooldown_ticks = raim_ticks_of(context->rules->fire_cooldown, context->tick_hz);
    player->shield_ticks = 0;
    player->shots += pellets;
    return true;
}
