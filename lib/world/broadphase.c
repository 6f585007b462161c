// SPDX-License-Identifier: MIT
// Sorts living players into columns along x by a counting sort.
#include "broadphase.h"

#include <assert.h>
#include <string.h>

static uint32_t column_of(const struct raim_broadphase *broadphase, double x)
{
    const double column = (x - broadphase->min_x) * broadphase->per_unit;
    if (!(column > 0))
        return 0;
    return column < RAIM_BROADPHASE_COLUMNS - 1 ? (uint32_t)column : RAIM_BROADPHASE_COLUMNS - 1;
}

void raim_broadphase_build(struct raim_broadphase *broadphase, const raim_player *players,
                           const uint16_t *slots, uint32_t count, raim_box border)
{
    broadphase->min_x = border.min.x;
    broadphase->per_unit = RAIM_BROADPHASE_COLUMNS / (border.max.x - border.min.x);
    broadphase->count = 0;
    memset(broadphase->starts, 0, sizeof broadphase->starts);

    uint8_t columns[RAIM_MAX_PLAYERS]; // by index in `slots`
    static_assert(RAIM_BROADPHASE_COLUMNS <= 256, "a column fits a byte");
    for (uint32_t i = 0; i < count; i++) {
        const raim_player *player = &players[slots[i]];
        if (player->state != RAIM_PLAYER_ALIVE)
            continue;
        const uint32_t column = column_of(broadphase, player->position.x);
        columns[i] = (uint8_t)column;
        broadphase->starts[column + 1]++;
        broadphase->count++;
    }
    for (int column = 0; column < RAIM_BROADPHASE_COLUMNS; column++)
        broadphase->starts[column + 1] =
            (uint16_t)(broadphase->starts[column + 1] + broadphase->starts[column]);

    uint16_t next[RAIM_BROADPHASE_COLUMNS];
    memcpy(next, broadphase->starts, sizeof next);
    for (uint32_t i = 0; i < count; i++) {
        const raim_player *player = &players[slots[i]];
        if (player->state != RAIM_PLAYER_ALIVE)
            continue;
        const uint32_t at = next[columns[i]]++;
        broadphase->slots[at] = slots[i];
        broadphase->positions[at] = player->position;
    }
}

uint32_t raim_broadphase_end(const struct raim_broadphase *broadphase, double x)
{
    return broadphase->starts[column_of(broadphase, x) + 1];
}
