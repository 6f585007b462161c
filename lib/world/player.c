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

bool raim_player_fire(raim_player *player, const raim_input *input,
                      const struct raim_tick_context *context, raim_bullet *bullet)
{
    if (player->state != RAIM_PLAYER_ALIVE || player->away || !input->fire ||
        player->cooldown_ticks > 0)
        return false;
    assert(input->rewind <= RAIM_MAX_REWIND);
    *bullet = (raim_bullet){
        .origin = player->position,
        .direction = raim_angle_direction(player->aim),
        .born_tick = context->tick - input->rewind,
        .owner = player->id,
        .aim = player->aim,
        .rewind = input->rewind,
    };
    player->cooldown_ticks = raim_ticks_of(context->rules->fire_cooldown, context->tick_hz);
    player->shield_ticks = 0;
    player->shots++;
    return true;
}
