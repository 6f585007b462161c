// SPDX-License-Identifier: MIT
// Making a world, and players entering and leaving it.
#include "world.h"

#include <assert.h>
#include <string.h>

// Padding would make copies and digests depend on what the compiler leaves in it.
static_assert(sizeof(raim_input) == 6, "no padding");
static_assert(sizeof(raim_player) == 2 * 16 + 4 * 4 + 6 * 2 + 4, "no padding");
static_assert(sizeof(raim_bullet) == 2 * 16 + 8, "no padding");
static_assert(sizeof(struct raim_world) == sizeof(raim_rules) + 8 + 6 * 4, "no padding");
static_assert(sizeof(struct raim_world) % sizeof(double) == 0, "players are aligned behind it");

enum { GENERATIONS = 64 };

uint32_t raim_world_bullets_for(const struct raim_world_def *def)
{
    const double lifetime_ticks = def->rules.bullet_lifetime * def->tick_hz + 1;
    const double cooldown_ticks = def->rules.fire_cooldown * def->tick_hz;
    const double each = lifetime_ticks / (cooldown_ticks < 1 ? 1 : cooldown_ticks) + 1;
    const double all = each * def->max_players + 1;
    return all < RAIM_MAX_BULLETS ? (uint32_t)all : RAIM_MAX_BULLETS;
}

size_t raim_world_size(const struct raim_world_def *def)
{
    return sizeof(struct raim_world) + def->max_players * sizeof(raim_player) +
           raim_world_bullets_for(def) * sizeof(raim_bullet);
}

struct raim_world *raim_world_init(void *memory, const struct raim_world_def *def)
{
    assert(def->max_players >= 1 && def->max_players <= RAIM_MAX_PLAYERS);
    assert(def->tick_hz >= 10 && def->tick_hz <= 240);
    assert(raim_rules_check(&def->rules) == NULL);
    struct raim_world *world = memory;
    memset(world, 0, raim_world_size(def));
    world->rules = def->rules;
    world->random = def->seed;
    world->tick_hz = def->tick_hz;
    world->max_players = def->max_players;
    world->max_bullets = raim_world_bullets_for(def);
    return world;
}

raim_player_id raim_world_join(struct raim_world *world)
{
    raim_player *players = raim_world_players(world);
    for (uint32_t place = 0; place < world->max_players; place++) {
        raim_player *player = &players[place];
        if (player->state != RAIM_PLAYER_ABSENT)
            continue;
        const uint16_t generation = (uint16_t)(player->generation % (GENERATIONS - 1) + 1);
        const uint8_t life = player->life;
        *player = (raim_player){
            .id = (raim_player_id)(generation * RAIM_MAX_PLAYERS + place),
            .generation = generation,
            .life = life,
            .state = RAIM_PLAYER_DOWN,
        };
        return player->id;
    }
    return RAIM_NOBODY;
}

void raim_world_leave(struct raim_world *world, raim_player_id id)
{
    raim_player *player = &raim_world_players(world)[raim_player_place(id)];
    assert(raim_player_place(id) < world->max_players && player->id == id);
    raim_bullet *bullets = raim_world_bullets(world);
    for (uint32_t place = 0; place < world->max_bullets; place++)
        if (bullets[place].owner == id)
            bullets[place] = (raim_bullet){0};
    *player = (raim_player){.generation = player->generation, .life = player->life};
}
