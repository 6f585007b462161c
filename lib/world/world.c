// SPDX-License-Identifier: MIT
// The lifecycle of a world, and the players who join and leave it.
#include "world.h"

#include <assert.h>
#include <string.h>

// Padding has unspecified contents, which would change copies and digests.
static_assert(sizeof(raim_input) == 6, "no padding");
static_assert(sizeof(raim_player) == 2 * 16 + 4 * 4 + 6 * 2 + 4, "no padding");
static_assert(sizeof(raim_bullet) == 2 * 16 + 4 + 6 * 2, "no padding");
static_assert(sizeof(raim_position_sample) == 16 + 8, "no padding");
static_assert(sizeof(struct raim_world) == sizeof(raim_rules) + 8 + 8 * 4, "no padding");
static_assert(sizeof(struct raim_world) % sizeof(double) == 0,
              "the players that follow are aligned");

static_assert(RAIM_MAX_PLAYERS * RAIM_MAX_PELLETS <= RAIM_MAX_BULLETS, "every player can fire");

enum { GENERATIONS = 64 };

uint32_t raim_world_bullets_per_player(const struct raim_world_def *def)
{
    const uint32_t lifetime = raim_ticks_of(def->rules.bullet_lifetime, def->tick_hz);
    const uint32_t cooldown = raim_ticks_of(def->rules.fire_cooldown, def->tick_hz);
    const uint32_t every = cooldown > 0 ? cooldown : 1;
    const uint32_t pellets = (uint32_t)def->rules.pellets;
    const uint32_t shots = (lifetime + every - 1) / every;
    const uint32_t most = RAIM_MAX_BULLETS / def->max_players / pellets;
    return pellets * (shots < most ? shots : most);
}

struct raim_stride raim_world_stride(const raim_rules *rules, uint32_t tick_hz)
{
    static const double diagonal = 0x1.6a09e667f3bcdp-1; // sqrt(1/2)
    const double steps_per_s = rules->player_speed * RAIM_MAP_STEPS;
    const int32_t straight_steps = (int32_t)(steps_per_s / tick_hz + 0.5);
    const int32_t diagonal_steps = (int32_t)(steps_per_s * diagonal / tick_hz + 0.5);
    return (struct raim_stride){
        .straight = straight_steps > 0 ? straight_steps : 1,
        .diagonal = diagonal_steps > 0 ? diagonal_steps : 1,
    };
}

static uint32_t history_length_for(uint32_t max_rewind)
{
    uint32_t ticks = max_rewind > 0 ? 1 : 0;
    while (ticks < max_rewind)
        ticks *= 2;
    return ticks;
}

static size_t bytes_of(uint32_t players, uint32_t bullets, uint32_t history_length)
{
    return sizeof(struct raim_world) + players * sizeof(raim_player) +
           bullets * sizeof(raim_bullet) +
           (size_t)players * history_length * sizeof(raim_position_sample);
}

size_t raim_world_size(const struct raim_world_def *def)
{
    return bytes_of(def->max_players, def->max_players * raim_world_bullets_per_player(def),
                    history_length_for(def->max_rewind));
}

size_t raim_world_bytes(const struct raim_world *world)
{
    return bytes_of(world->max_players, world->max_bullets, world->history_length);
}

struct raim_world *raim_world_init(void *memory, const struct raim_world_def *def)
{
    assert(def->max_players >= 1 && def->max_players <= RAIM_MAX_PLAYERS);
    assert(def->tick_hz >= 10 && def->tick_hz <= 240);
    assert(def->max_rewind <= RAIM_MAX_REWIND);
    assert(raim_rules_check(&def->rules) == NULL);
    struct raim_world *world = memory;
    memset(world, 0, raim_world_size(def));
    world->rules = def->rules;
    world->random = def->seed;
    world->tick_hz = def->tick_hz;
    world->max_players = def->max_players;
    world->bullets_per_player = raim_world_bullets_per_player(def);
    world->max_bullets = def->max_players * world->bullets_per_player;
    world->max_rewind = def->max_rewind;
    world->history_length = history_length_for(def->max_rewind);
    return world;
}

// Assigns a free slot to an id. The slot's count of lives continues.
static void take(raim_player *player, raim_player_id id)
{
    assert(player->state == RAIM_PLAYER_ABSENT);
    *player = (raim_player){
        .id = id,
        .generation = (uint16_t)(id / RAIM_MAX_PLAYERS),
        .life = player->life,
        .state = RAIM_PLAYER_DOWN,
    };
}

raim_player_id raim_world_join(struct raim_world *world)
{
    raim_player *players = raim_world_players(world);
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        raim_player *player = &players[slot];
        if (player->state != RAIM_PLAYER_ABSENT)
            continue;
        const uint32_t generation = player->generation % (GENERATIONS - 1) + 1;
        take(player, (raim_player_id)(generation * RAIM_MAX_PLAYERS + slot));
        return player->id;
    }
    return RAIM_NOBODY;
}

void raim_world_rejoin(struct raim_world *world, raim_player_id id)
{
    assert(id >= RAIM_MAX_PLAYERS);
    assert(raim_player_slot(id) < world->max_players);
    take(&raim_world_players(world)[raim_player_slot(id)], id);
}

void raim_world_leave(struct raim_world *world, raim_player_id id)
{
    raim_player *player = &raim_world_players(world)[raim_player_slot(id)];
    assert(raim_player_slot(id) < world->max_players && player->id == id);
    raim_bullet *bullets =
        raim_world_bullets(world) + raim_player_slot(id) * world->bullets_per_player;
    memset(bullets, 0, world->bullets_per_player * sizeof *bullets);
    *player = (raim_player){.generation = player->generation, .life = player->life};
}

void raim_world_set_away(struct raim_world *world, raim_player_id id, bool away)
{
    raim_player *player = &raim_world_players(world)[raim_player_slot(id)];
    assert(raim_player_slot(id) < world->max_players && player->id == id);
    player->away = away;
}

void raim_world_clear_bullets(struct raim_world *world)
{
    memset(raim_world_bullets(world), 0, world->max_bullets * sizeof(raim_bullet));
}

void raim_world_hold_positions(struct raim_world *world)
{
    raim_player *players = raim_world_players(world);
    for (uint32_t slot = 0; slot < world->max_players; slot++)
        if (players[slot].state == RAIM_PLAYER_ALIVE)
            players[slot].position = players[slot].previous;
}

void raim_world_begin_round(struct raim_world *world)
{
    raim_player *players = raim_world_players(world);
    raim_world_clear_bullets(world);
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        raim_player *player = &players[slot];
        if (player->state == RAIM_PLAYER_ABSENT)
            continue;
        player->score = player->deaths = 0;
        player->cooldown_ticks = player->respawn_ticks = player->shield_ticks = 0;
        player->state = RAIM_PLAYER_DOWN;
        player->health = 0;
    }
}

void raim_world_continue(struct raim_world *world, const struct raim_world *before)
{
    raim_player *players = raim_world_players(world);
    const raim_player *others = raim_world_players_const(before);
    assert(world->tick_hz == before->tick_hz);
    world->tick = before->tick;
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        assert(players[slot].state == RAIM_PLAYER_ABSENT);
        if (slot >= before->max_players)
            continue;
        players[slot].generation = others[slot].generation;
        players[slot].life = others[slot].life;
    }
}
