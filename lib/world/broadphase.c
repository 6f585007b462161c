// SPDX-License-Identifier: MIT
// Sorts living players into columns along x by a counting sort.
#include "broadphase.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static uint32_t column_of(const struct raim_broadphase *broadphase, double x)
{
    const double column = (x - broadphase->min_x) * broadphase->per_unit;
    if (!(column > 0))
        return 0;
    return column < RAIM_BROADPHASE_COLUMNS - 1 ? (uint32_t)column : RAIM_BROADPHASE_COLUMNS - 1;
}

void raim_broadphase_build(struct raim_broadphase *broadphase, const struct raim_world *world,
                           raim_box border)
{
    const raim_player *players = raim_world_players_const(world);
    broadphase->min_x = border.min.x;
    broadphase->per_unit = RAIM_BROADPHASE_COLUMNS / (border.max.x - border.min.x);
    broadphase->reach = 0;
    broadphase->count = 0;
    memset(broadphase->starts, 0, sizeof broadphase->starts);

    uint8_t column_of_slot[RAIM_MAX_PLAYERS];
    static_assert(RAIM_BROADPHASE_COLUMNS <= 256, "a column fits a byte");
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_player *player = &players[slot];
        if (player->state != RAIM_PLAYER_ALIVE)
            continue;
        const uint32_t column = column_of(broadphase, player->position.x);
        column_of_slot[slot] = (uint8_t)column;
        broadphase->starts[column + 1]++;
        broadphase->count++;
        const double along_x = fabs(player->position.x - player->previous.x);
        const double along_y = fabs(player->position.y - player->previous.y);
        broadphase->reach = along_x > broadphase->reach ? along_x : broadphase->reach;
        broadphase->reach = along_y > broadphase->reach ? along_y : broadphase->reach;
    }
    for (int column = 0; column < RAIM_BROADPHASE_COLUMNS; column++)
        broadphase->starts[column + 1] =
            (uint16_t)(broadphase->starts[column + 1] + broadphase->starts[column]);

    uint16_t next[RAIM_BROADPHASE_COLUMNS];
    memcpy(next, broadphase->starts, sizeof next);
    for (uint32_t slot = 0; slot < world->max_players; slot++)
        if (players[slot].state == RAIM_PLAYER_ALIVE)
            broadphase->slots[next[column_of_slot[slot]]++] = (uint16_t)slot;
}

void raim_broadphase_find(const struct raim_broadphase *broadphase, double min_x, double max_x,
                          uint32_t *first, uint32_t *end)
{
    *first = broadphase->starts[column_of(broadphase, min_x)];
    *end = broadphase->starts[column_of(broadphase, max_x) + 1];
}
