// SPDX-License-Identifier: MIT
// Sorts living players into columns along x.
#include "broadphase.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static uint32_t column_of(const struct raim_broadphase *columns, double x)
{
    const double column = (x - columns->min_x) * columns->per_unit;
    if (!(column > 0))
        return 0;
    return column < RAIM_BROADPHASE - 1 ? (uint32_t)column : RAIM_BROADPHASE - 1;
}

void raim_broadphase_build(struct raim_broadphase *columns, const struct raim_world *world,
                           raim_box border)
{
    const raim_player *players = raim_world_players_const(world);
    columns->min_x = border.min.x;
    columns->per_unit = RAIM_BROADPHASE / (border.max.x - border.min.x);
    columns->reach = 0;
    columns->count = 0;
    memset(columns->starts, 0, sizeof columns->starts);

    uint8_t column_of_place[RAIM_MAX_PLAYERS];
    static_assert(RAIM_BROADPHASE <= 256, "a column fits a byte");
    for (uint32_t place = 0; place < world->max_players; place++) {
        const raim_player *player = &players[place];
        if (player->state != RAIM_PLAYER_ALIVE)
            continue;
        const uint32_t column = column_of(columns, player->position.x);
        column_of_place[place] = (uint8_t)column;
        columns->starts[column + 1]++;
        columns->count++;
        const double along_x = fabs(player->position.x - player->previous.x);
        const double along_y = fabs(player->position.y - player->previous.y);
        columns->reach = along_x > columns->reach ? along_x : columns->reach;
        columns->reach = along_y > columns->reach ? along_y : columns->reach;
    }
    for (int column = 0; column < RAIM_BROADPHASE; column++)
        columns->starts[column + 1] =
            (uint16_t)(columns->starts[column + 1] + columns->starts[column]);

    uint16_t next[RAIM_BROADPHASE];
    memcpy(next, columns->starts, sizeof next);
    for (uint32_t place = 0; place < world->max_players; place++)
        if (players[place].state == RAIM_PLAYER_ALIVE)
            columns->places[next[column_of_place[place]]++] = (uint16_t)place;
}

void raim_broadphase_find(const struct raim_broadphase *columns, double min_x, double max_x,
                          uint32_t *first, uint32_t *end)
{
    *first = columns->starts[column_of(columns, min_x)];
    *end = columns->starts[column_of(columns, max_x) + 1];
}
