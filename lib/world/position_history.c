// SPDX-License-Identifier: MIT
// A ring buffer of ticks, stored after the bullets of a world.
#include "position_history.h"

#include <assert.h>
#include <math.h>

// The count of lives of a slot continues across players, so samples of different players never mix.
// A wrap of the count is harmless within the longest rewind.
static_assert(RAIM_MAX_REWIND < 256, "each life takes a tick at least");

// Returns true when a player is alive and the sample is of the same life.
static bool lived(const raim_player *player, const raim_position_sample *recorded)
{
    return player->state == RAIM_PLAYER_ALIVE && recorded->state == RAIM_PLAYER_ALIVE &&
           recorded->life == player->life;
}

void raim_position_history_record(struct raim_world *world)
{
    if (world->max_rewind == 0)
        return;
    const raim_player *players = raim_world_players_const(world);
    raim_position_sample *recorded = raim_world_history(world, world->tick);
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_player *player = &players[slot];
        recorded[slot] = (raim_position_sample){
            .position = player->previous,
            .life = player->life,
            .state = player->state,
            .shielded = player->shield_ticks > 0,
        };
    }
}

bool raim_position_history_motion(const struct raim_world *world, uint32_t slot, uint32_t tick,
                                  struct raim_tick_motion *motion)
{
    const raim_player *player = &raim_world_players_const(world)[slot];
    const int32_t age = raim_tick_diff(world->tick, tick);
    assert(age > 0 && age <= (int32_t)world->max_rewind);
    const raim_position_sample *recorded = &raim_world_history_const(world, tick)[slot];
    if (!lived(player, recorded))
        return false;
    motion->from = recorded->position;
    // A player that is still in the same life was alive in all ticks between.
    motion->to =
        age == 1 ? player->previous : raim_world_history_const(world, tick + 1)[slot].position;
    motion->shielded = recorded->shielded;
    return true;
}

double raim_position_history_reach(const struct raim_world *world, uint32_t ticks,
                                   const uint16_t *slots, uint32_t count)
{
    const raim_player *players = raim_world_players_const(world);
    assert(ticks <= world->max_rewind);
    raim_vec2 reach = {0, 0}; // along each axis, so that the two maxima do not wait for each other
    for (uint32_t age = 1; age <= ticks; age++) {
        const raim_position_sample *recorded = raim_world_history_const(world, world->tick - age);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t slot = slots[i];
            if (!lived(&players[slot], &recorded[slot]))
                continue;
            const raim_vec2 way = raim_vec2_sub(players[slot].position, recorded[slot].position);
            const double along_x = fabs(way.x), along_y = fabs(way.y);
            reach.x = along_x > reach.x ? along_x : reach.x;
            reach.y = along_y > reach.y ? along_y : reach.y;
        }
    }
    return reach.x > reach.y ? reach.x : reach.y;
}
