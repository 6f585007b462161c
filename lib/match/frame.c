// SPDX-License-Identifier: MIT
// Records quantised worlds.
#include "frame.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert(RAIM_WIRE_PLAYERS == RAIM_MAX_PLAYERS, "every place can be told");
static_assert(RAIM_WIRE_BULLETS == RAIM_MAX_BULLETS, "every place can be told");
static_assert(RAIM_WIRE_POINTS == RAIM_MAX_POLYGON_POINTS, "every obstacle can be told");
static_assert(RAIM_WIRE_OBSTACLES == RAIM_MAX_OBSTACLES, "every map can be told");
static_assert(RAIM_MAP_STEPS == RAIM_WIRE_UNITS, "maps are told exactly");
static_assert(RAIM_MAP_REACH * RAIM_WIRE_UNITS < 1 << (RAIM_WIRE_COORDINATE_BITS - 1),
              "every place on a map can be told");

int32_t raim_quantise(double units)
{
    return (int32_t)floor(units * RAIM_WIRE_UNITS + 0.5);
}

bool raim_history_create(struct raim_history *history, const struct raim_world *world)
{
    history->limits = (struct raim_wire_limits){world->max_players, world->max_bullets};
    const size_t frame_bytes = raim_wire_frame_bytes(&history->limits);
    uint8_t *memory = calloc(RAIM_SNAPSHOT_HISTORY, frame_bytes);
    history->memory = memory;
    if (memory == NULL)
        return false;
    for (int i = 0; i < RAIM_SNAPSHOT_HISTORY; i++)
        raim_wire_frame_init(&history->frames[i], &history->limits, memory + i * frame_bytes);
    return true;
}

void raim_history_destroy(struct raim_history *history)
{
    free(history->memory);
    history->memory = NULL;
}

void raim_history_record(struct raim_history *history, const struct raim_world *world)
{
    struct raim_wire_frame *frame = raim_history_at(history, world->tick);
    const raim_player *players = raim_world_players_const(world);
    const raim_bullet *bullets = raim_world_bullets_const(world);
    frame->tick = world->tick;
    memset(frame->seen_players, 0, raim_set_words(world->max_players) * sizeof(uint64_t));
    memset(frame->seen_bullets, 0, raim_set_words(world->max_bullets) * sizeof(uint64_t));
    for (uint32_t place = 0; place < world->max_players; place++) {
        const raim_player *player = &players[place];
        if (player->state != RAIM_PLAYER_ALIVE)
            continue;
        raim_set_add(frame->seen_players, place);
        frame->players[place] = (raim_wire_player){
            .x = raim_quantise(player->position.x),
            .y = raim_quantise(player->position.y),
            // To the nearest of 4096 directions; the last half step wraps to 0.
            .aim = (int32_t)(((uint32_t)player->aim + 8) >> 4 & 0xFFF),
            .life = player->life & 7,
            .shield = player->shield_ticks > 0,
        };
    }
    for (uint32_t place = 0; place < world->max_bullets; place++) {
        const raim_bullet *bullet = &bullets[place];
        if (bullet->owner == RAIM_NOBODY)
            continue;
        raim_set_add(frame->seen_bullets, place);
        frame->bullets[place] = (raim_wire_bullet){
            .x = raim_quantise(bullet->origin.x),
            .y = raim_quantise(bullet->origin.y),
            .born_tick = bullet->born_tick,
            .aim = bullet->aim,
            .owner = (uint16_t)raim_player_place(bullet->owner),
        };
    }
}
