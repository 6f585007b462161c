// SPDX-License-Identifier: MIT
// Finds pairs of players that may overlap by columns along x, and moves each half of the overlap.
#include "player_push.h"

#include "grid_move.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static uint32_t column_of(const struct raim_player_push *push, double x)
{
    const double column = (x - push->min_x) * push->per_unit;
    if (!(column > 0))
        return 0;
    return column < RAIM_PLAYER_PUSH_COLUMNS - 1 ? (uint32_t)column : RAIM_PLAYER_PUSH_COLUMNS - 1;
}

// Puts the living players among `count` slots, which ascend, into columns by x. Within a column
// they stay in the order of slots.
static void sort_players(struct raim_player_push *push, const raim_player *players,
                         const uint16_t *slots, uint32_t count, raim_box border)
{
    push->min_x = border.min.x;
    push->per_unit = RAIM_PLAYER_PUSH_COLUMNS / (border.max.x - border.min.x);
    push->count = 0;
    memset(push->starts, 0, sizeof push->starts);

    uint8_t columns[RAIM_MAX_PLAYERS]; // by index in `slots`
    static_assert(RAIM_PLAYER_PUSH_COLUMNS <= 256, "a column fits a byte");
    for (uint32_t i = 0; i < count; i++) {
        const raim_player *player = &players[slots[i]];
        if (player->state != RAIM_PLAYER_ALIVE)
            continue;
        const uint32_t column = column_of(push, player->position.x);
        columns[i] = (uint8_t)column;
        push->starts[column + 1]++;
        push->count++;
    }
    for (int column = 0; column < RAIM_PLAYER_PUSH_COLUMNS; column++)
        push->starts[column + 1] = (uint16_t)(push->starts[column + 1] + push->starts[column]);

    uint16_t next[RAIM_PLAYER_PUSH_COLUMNS];
    memcpy(next, push->starts, sizeof next);
    for (uint32_t i = 0; i < count; i++) {
        const raim_player *player = &players[slots[i]];
        if (player->state != RAIM_PLAYER_ALIVE)
            continue;
        const uint32_t at = next[columns[i]]++;
        push->slots[at] = slots[i];
        push->positions[at] = player->position;
    }
}

// Returns the end, in the arrays, of the column that x lies in.
static uint32_t column_end(const struct raim_player_push *push, double x)
{
    return push->starts[column_of(push, x) + 1];
}

static void push_pair_apart(const struct raim_map *map, double radius, raim_player *a,
                            raim_player *b)
{
    const raim_vec2 between = raim_vec2_sub(b->position, a->position);
    const double squared = raim_vec2_length_squared(between);
    if (squared >= 4 * radius * radius)
        return;
    const double distance = sqrt(squared);
    const raim_vec2 normal =
        distance > 0 ? raim_vec2_scale(between, 1 / distance) : (raim_vec2){1, 0};
    const raim_vec2 half = raim_vec2_scale(normal, (2 * radius - distance) / 2);
    a->position = raim_grid_move_push(map, a->position, raim_vec2_scale(half, -1), radius);
    b->position = raim_grid_move_push(map, b->position, half, radius);
}

void raim_player_push_apart(struct raim_player_push *push, raim_player *players,
                            const uint16_t *slots, uint32_t count, const struct raim_map *map,
                            double radius)
{
    sort_players(push, players, slots, count, map->border);
    const double width = 2 * radius;
    for (uint32_t i = 0; i < push->count; i++) {
        const uint32_t end = column_end(push, push->positions[i].x + width);
        for (uint32_t j = i + 1; j < end; j++) {
            if (fabs(push->positions[j].y - push->positions[i].y) >= width)
                continue;
            raim_player *player = &players[push->slots[i]];
            raim_player *other = &players[push->slots[j]];
            push_pair_apart(map, radius, player, other);
            push->positions[i] = player->position;
            push->positions[j] = other->position;
        }
    }
}
