// SPDX-License-Identifier: MIT
// Plays a seeded match of bots and prints the world's digest every 1000 ticks: the same on every
// compiler and at every optimisation, or the game is not deterministic.
#include "bot.h"
#include "random.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLAYERS = 24, TICKS = 10000, EVERY = 1000, OBSTACLES = 40, REWIND = 9 };

// Regular polygons of three to eight sides strewn over the map; they may overlap.
static struct raim_map *make_map(uint64_t *random)
{
    static struct raim_obstacle_def obstacles[OBSTACLES];
    raim_vec2 spawns[16];
    const raim_box border = {{-1500, -1000}, {1500, 1000}};
    for (int i = 0; i < OBSTACLES; i++) {
        const int sides = 3 + (int)raim_random_below(random, 6);
        const double radius = 40 + 80 * raim_random_unit(random);
        const raim_angle turn = (raim_angle)raim_random_next(random);
        const raim_vec2 centre = {-1300 + 2600 * raim_random_unit(random),
                                  -600 + 1200 * raim_random_unit(random)};
        obstacles[i].count = sides;
        for (int corner = 0; corner < sides; corner++) {
            const raim_angle angle = (raim_angle)(turn + corner * RAIM_ANGLE_TURN / sides);
            obstacles[i].points[corner] =
                raim_vec2_mad(centre, raim_angle_direction(angle), radius);
        }
    }
    // Two rows beyond the obstacles' reach.
    for (int i = 0; i < 16; i++)
        spawns[i] = (raim_vec2){-1400 + 400 * (i % 8), i < 8 ? -900 : 900};
    const struct raim_map_def def = {
        .name = "golden",
        .border = border,
        .obstacles = obstacles,
        .obstacle_count = OBSTACLES,
        .spawns = spawns,
        .spawn_count = 16,
    };
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&def, &problem);
    assert(map != NULL);
    return map;
}

static raim_input think(const struct raim_world *world, const struct raim_map *map,
                        struct raim_bot *bot, uint32_t own)
{
    const raim_player *players = raim_world_players_const(world);
    struct raim_bot_enemy enemies[RAIM_BOT_MAX_ENEMIES];
    uint32_t count = 0;
    for (uint32_t place = 0; place < world->max_players; place++) {
        if (place == own || players[place].state != RAIM_PLAYER_ALIVE)
            continue;
        enemies[count++] = (struct raim_bot_enemy){
            .key = (uint32_t)players[place].id << 8 | players[place].life,
            .position = players[place].position,
            .velocity = raim_vec2_scale(
                raim_vec2_sub(players[place].position, players[place].previous), world->tick_hz),
            .shielded = players[place].shield_ticks > 0,
        };
    }
    const struct raim_bot_sight sight = {
        .map = map,
        .rules = &world->rules,
        .tick = world->tick,
        .tick_hz = world->tick_hz,
        .position = players[own].position,
        .enemies = enemies,
        .enemy_count = count,
    };
    return raim_bot_think(bot, &sight);
}

int main(void)
{
    static struct raim_bot bots[PLAYERS];
    static raim_input inputs[PLAYERS];
    static raim_event items[4096];
    struct raim_events events = {.items = items, .capacity = 4096};
    struct raim_world_def def = {
        .rules = raim_rules_default(),
        .tick_hz = 60,
        .max_players = PLAYERS,
        .max_rewind = REWIND,
        .seed = 7246,
    };
    def.rules.bullet_speed = 2400; // so fast that many hit in the past
    uint64_t random = 2026;
    struct raim_map *map = make_map(&random);
    void *memory = malloc(raim_world_size(&def));
    assert(memory != NULL);
    struct raim_world *world = raim_world_init(memory, &def);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        raim_world_join(world);
        raim_bot_init(&bots[i], raim_random_next(&random));
    }
    uint32_t kills = 0, in_past = 0;
    for (int tick = 1; tick <= TICKS; tick++) {
        for (uint32_t place = 0; place < PLAYERS; place++) {
            if (raim_world_players(world)[place].state == RAIM_PLAYER_ALIVE)
                inputs[place] = think(world, map, &bots[place], place);
            inputs[place].rewind = (uint8_t)raim_random_below(&random, REWIND + 1);
        }
        raim_world_step(world, map, inputs, &events);
        for (uint32_t i = 0; i < events.count; i++) {
            kills += events.items[i].kind == RAIM_EVENT_KILL;
            in_past += events.items[i].in_past;
        }
        if (tick % EVERY == 0)
            printf("%d %016" PRIx64 " kills %" PRIu32 " in the past %" PRIu32 "\n", tick,
                   raim_world_digest(world), kills, in_past);
    }
    free(memory);
    raim_map_destroy(map);
    return 0;
}
