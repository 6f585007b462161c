// SPDX-License-Identifier: MIT
// Plays a seeded match of bots and prints the world's digest every 1000 ticks. The output must not
// depend on the compiler, the optimisation level or the byte order.
#include "bot.h"
#include "digest.h"
#include "random.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYERS = 24, TICKS = 10000, EVERY = 1000, OBSTACLES = 40, REWIND = 9 };

// Scatters regular polygons of three to eight sides over the map; they may overlap.
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
    // Two rows of spawns, out of reach of the obstacles.
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
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        if (slot == own || players[slot].state != RAIM_PLAYER_ALIVE)
            continue;
        enemies[count++] = (struct raim_bot_enemy){
            .key = (uint32_t)players[slot].id << 8 | players[slot].life,
            .position = players[slot].position,
            .velocity = raim_vec2_scale(
                raim_vec2_sub(players[slot].position, players[slot].previous), world->tick_hz),
            .shielded = players[slot].shield_ticks > 0,
        };
    }
    const struct raim_bot_observation sight = {
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

// A run of `count` numbers of `width` bytes.
struct run {
    int count, width;
};

static const struct run world_runs[] = {{RAIM_RULE_COUNT + 1, 8}, {8, 4}, {0, 0}};
static const struct run player_runs[] = {{4, 8}, {4, 4}, {6, 2}, {4, 1}, {0, 0}};
static const struct run bullet_runs[] = {{4, 8}, {1, 4}, {6, 2}, {0, 0}};
static const struct run sample_runs[] = {{2, 8}, {8, 1}, {0, 0}};

// Copies structs whose members are these runs, and stores each number in little-endian order.
static size_t put_little_endian(uint8_t *to, const void *from, size_t size, uint32_t structs,
                                const struct run *runs)
{
    const uint16_t one = 1;
    const bool is_big_endian = *(const uint8_t *)&one == 0;
    const uint8_t *bytes = from;
    size_t at = 0;
    for (uint32_t i = 0; i < structs; i++)
        for (const struct run *run = runs; run->count > 0; run++)
            for (int number = 0; number < run->count; number++, at += (size_t)run->width)
                for (int byte = 0; byte < run->width; byte++)
                    to[at + (size_t)byte] =
                        bytes[at + (size_t)(is_big_endian ? run->width - 1 - byte : byte)];
    assert(at == structs * size);
    return at;
}

// Returns the digest of the world in little-endian representation.
static uint64_t canonical_digest(const struct raim_world *world)
{
    const size_t size = raim_world_bytes(world);
    uint8_t *bytes = malloc(size);
    assert(bytes != NULL);
    size_t at = put_little_endian(bytes, world, sizeof *world, 1, world_runs);
    const raim_player *players = raim_world_players_const(world);
    at += put_little_endian(bytes + at, players, sizeof *players, world->max_players, player_runs);
    const uint8_t *rest = (const uint8_t *)(players + world->max_players);
    const size_t bullets_bytes =
        put_little_endian(bytes + at, rest, sizeof(raim_bullet), world->max_bullets, bullet_runs);
    at += bullets_bytes;
    at += put_little_endian(bytes + at, rest + bullets_bytes, sizeof(raim_position_sample),
                            world->max_players * world->history_length, sample_runs);
    assert(at == size);
    const uint64_t digest = raim_digest(bytes, size);
    free(bytes);
    return digest;
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
    def.rules.bullet_speed = 2400; // so fast that many bullets hit in the past
    uint64_t random = 2026;
    struct raim_map *map = make_map(&random);
    void *memory = malloc(raim_world_size(&def));
    assert(memory != NULL);
    struct raim_world *world = raim_world_init(memory, &def);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        raim_world_join(world);
        raim_bot_init(&bots[i], raim_random_next(&random));
    }
    struct raim_world_workspace *workspace = raim_world_workspace_create();
    assert(workspace != NULL);
    uint32_t kills = 0, in_past = 0;
    for (int tick = 1; tick <= TICKS; tick++) {
        for (uint32_t slot = 0; slot < PLAYERS; slot++) {
            if (raim_world_players(world)[slot].state == RAIM_PLAYER_ALIVE)
                inputs[slot] = think(world, map, &bots[slot], slot);
            inputs[slot].rewind = (uint8_t)raim_random_below(&random, REWIND + 1);
        }
        raim_world_step(world, map, inputs, &events, workspace);
        for (uint32_t i = 0; i < events.count; i++) {
            kills += events.items[i].kind == RAIM_EVENT_KILL;
            in_past += events.items[i].in_past;
        }
        if (tick % EVERY == 0)
            printf("%d %016" PRIx64 " kills %" PRIu32 " in the past %" PRIu32 "\n", tick,
                   canonical_digest(world), kills, in_past);
    }
    free(memory);
    raim_world_workspace_destroy(workspace);
    raim_map_destroy(map);
    return 0;
}
