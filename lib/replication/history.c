// SPDX-License-Identifier: MIT
// Quantises the world into one frame per tick.
#include "history.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert(RAIM_WIRE_PLAYERS == RAIM_MAX_PLAYERS, "every place can be told");
static_assert(RAIM_WIRE_BULLETS == RAIM_MAX_BULLETS, "every place can be told");
static_assert(RAIM_WIRE_REWIND == RAIM_MAX_REWIND, "every rewind fits the wire");
static_assert(RAIM_WIRE_POINTS == RAIM_MAX_POLYGON_POINTS, "every obstacle fits the wire");
static_assert(RAIM_WIRE_OBSTACLES == RAIM_MAX_OBSTACLES, "every map fits the wire");
static_assert(RAIM_MAP_STEPS == RAIM_WIRE_UNITS, "maps and players are on the wire's grid");
static_assert(RAIM_MAP_REACH * RAIM_WIRE_UNITS < 1 << (RAIM_WIRE_COORDINATE_BITS - 1),
              "every point of a map fits the wire");

int32_t raim_quantise(double units)
{
    return (int32_t)floor(units * RAIM_WIRE_UNITS + 0.5);
}

struct raim_wire_limits raim_wire_limits_of(const struct raim_world *world)
{
    const struct raim_stride stride = raim_world_stride(&world->rules, world->tick_hz);
    return (struct raim_wire_limits){
        .players = world->max_players,
        .shots = world->bullets_per_player,
        .history = raim_wire_history(world->tick_hz),
        .stride = stride.straight,
        .diagonal = stride.diagonal,
        .max_rewind = world->max_rewind,
        .has_health = world->rules.health > 1,
    };
}

// Rounds up to a power of two, so that consecutive ticks use consecutive frames even where the tick
// counter wraps.
static uint32_t frames_for(uint32_t ticks)
{
    uint32_t frames = 1;
    while (frames < ticks)
        frames *= 2;
    return frames;
}

bool raim_history_create(struct raim_history *history, const struct raim_wire_limits *limits,
                         uint32_t ticks)
{
    const size_t frame_bytes = raim_wire_frame_bytes(limits);
    *history = (struct raim_history){.limits = *limits, .ticks = frames_for(ticks)};
    uint8_t *memory = calloc(history->ticks, frame_bytes);
    history->memory = memory;
    history->frames = calloc(history->ticks, sizeof *history->frames);
    history->selves = calloc((size_t)history->ticks * limits->players, sizeof *history->selves);
    if (memory == NULL || history->frames == NULL || history->selves == NULL)
        return false;
    for (uint32_t i = 0; i < history->ticks; i++)
        raim_wire_frame_init(&history->frames[i], limits, memory + i * frame_bytes);
    return true;
}

void raim_history_destroy(struct raim_history *history)
{
    free(history->memory);
    free(history->frames);
    free(history->selves);
    *history = (struct raim_history){0};
}

static raim_wire_player wire_player(const struct raim_wire_limits *limits,
                                    const raim_player *player)
{
    const int32_t x = raim_quantise(player->position.x), y = raim_quantise(player->position.y);
    return (raim_wire_player){
        .x = x,
        .y = y,
        // To the nearest of 1024 directions; the last half step wraps to 0.
        .aim = (int32_t)(((uint32_t)player->aim + 32) >> 6 & 0x3FF),
        // A player who has just spawned has its spawn as previous position, so its way is STAND.
        .direction = (int32_t)raim_wire_direction(limits, x - raim_quantise(player->previous.x),
                                                  y - raim_quantise(player->previous.y)),
        .life = player->life & 7,
        .shield = player->shield_ticks > 0,
        .health = limits->has_health ? player->health : 0,
    };
}

static raim_wire_bullet wire_bullet(const struct raim_world *world, const raim_bullet *bullet)
{
    // The point from which a bullet fired now, at the frame's own tick, would be where this one is.
    // The muzzle's distance from the shooter's centre is not subtracted: it cancels out.
    const int32_t flown_ticks = raim_tick_diff(world->tick, bullet->born_tick);
    const raim_vec2 now = raim_vec2_mad(bullet->origin, bullet->direction,
                                        world->rules.bullet_speed * flown_ticks / world->tick_hz);
    return (raim_wire_bullet){
        .x = raim_quantise(bullet->origin.x),
        .y = raim_quantise(bullet->origin.y),
        .tick = bullet->born_tick,
        .now_x = raim_quantise(now.x),
        .now_y = raim_quantise(now.y),
        .aim = bullet->aim,
        .rewind = (uint8_t)(bullet->bounces == 0 ? bullet->rewind : 0),
        .flown = (uint8_t)(bullet->flown < 255 ? bullet->flown : 255),
    };
}

static struct raim_history_self self_of(const raim_player *player, uint32_t slot)
{
    const bool alive = player->state == RAIM_PLAYER_ALIVE;
    return (struct raim_history_self){
        .self =
            {
                .slot = (uint16_t)slot,
                .steers = true,
                .alive = alive,
                .timer = alive ? player->cooldown_ticks : player->respawn_ticks,
                .shots = (uint8_t)player->shots,
                .hits = (uint8_t)player->hits,
            },
        .has_spawned = alive || (player->state == RAIM_PLAYER_DOWN && player->deaths > 0),
    };
}

void raim_history_record(struct raim_history *history, const struct raim_world *world)
{
    const uint32_t row = world->tick % history->ticks;
    struct raim_wire_frame *frame = &history->frames[row];
    struct raim_history_self *selves = &history->selves[(size_t)row * world->max_players];
    const raim_player *players = raim_world_players_const(world);
    const raim_bullet *bullets = raim_world_bullets_const(world);
    frame->tick = world->tick;
    memset(frame->seen_players, 0, raim_set_words(world->max_players) * sizeof(uint64_t));
    memset(frame->seen_bullets, 0, raim_set_words(world->max_bullets) * sizeof(uint64_t));
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        frame->players[slot] = wire_player(&history->limits, &players[slot]);
        selves[slot] = self_of(&players[slot], slot);
        if (players[slot].state == RAIM_PLAYER_ALIVE)
            raim_set_add(frame->seen_players, slot);
    }
    for (uint32_t slot = 0; slot < world->max_bullets; slot++) {
        if (bullets[slot].owner == RAIM_NOBODY)
            continue;
        frame->bullets[slot] = wire_bullet(world, &bullets[slot]);
        raim_set_add(frame->seen_bullets, slot);
    }
}

void raim_history_copy(struct raim_history *history, const struct raim_history *from, uint32_t tick)
{
    const struct raim_wire_limits *limits = &history->limits;
    const struct raim_wire_frame *source = raim_history_at(from, tick);
    struct raim_wire_frame *frame = &history->frames[tick % history->ticks];
    frame->tick = tick;
    memcpy(frame->seen_players, source->seen_players,
           raim_set_words(limits->players) * sizeof(uint64_t));
    memcpy(frame->seen_bullets, source->seen_bullets,
           raim_set_words(raim_wire_bullets(limits)) * sizeof(uint64_t));
    memcpy(frame->players, source->players, limits->players * sizeof source->players[0]);
    memcpy(frame->bullets, source->bullets, raim_wire_bullets(limits) * sizeof source->bullets[0]);
    memcpy(&history->selves[(size_t)(tick % history->ticks) * limits->players],
           raim_history_self_at(from, tick, 0), limits->players * sizeof history->selves[0]);
}
