// SPDX-License-Identifier: MIT
// Benchmark of one step of a busy world: 64 players, 50 obstacles, 200 bullets in flight.
//
//   bench_step [SEED [PLAYERS OBSTACLES BATCHES [REWIND]]]
//     Prints "step_us=... p90_us=... players=... obstacles=... bullets=...": the median and the
//     90th percentile over batches of the mean step of each, and the means of what was in play.
//   bench_step growth
//     Prints such a line for 16 to 1000 players, first on one map, then on maps whose area and
//     obstacles grow with the players, and for arenas in which most slots are free. Each line
//     begins with "map=... slots=... player_ns=...": the time of a step per player.
// Players run and aim at random. The bench chooses the players that fire so that the number of
// bullets stays at 200, or at 25 for every 8 players. Every shot is rewound by REWIND ticks.
// Creating the inputs is not measured.
#define _GNU_SOURCE

#include "measure.h"
#include "scene.h"
#include "world.h"

#include <stdio.h>
#include <string.h>

#define TICK_HZ 60
#define BASE_PLAYERS 64
#define MAX_BATCHES 10000
#define STEPS_PER_BATCH 20 // few, so that most batches are not interrupted

// Steps for all players to spawn and for the bullets to reach their number.
#define WARMUP_STEPS 600

struct arena {
    struct raim_map *map;
    struct raim_world *world;
    struct raim_events events;
    struct raim_world_workspace *workspace;
    raim_input inputs[RAIM_MAX_PLAYERS];
    uint32_t players, slots, bullets, rewind;
    uint64_t random;
};

// What a line of the bench measures.
struct measurement {
    int players, slots, obstacles;
    int room; // the number of players that the map's area is made for
    int batches, rewind;
    uint64_t seed;
};

// --- playing ---

static uint32_t count_bullets(const struct raim_world *world)
{
    const raim_bullet *bullets = raim_world_bullets_const(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->max_bullets; i++)
        count += bullets[i].owner != RAIM_NOBODY;
    return count;
}

static uint32_t count_players(const struct raim_world *world)
{
    const raim_player *players = raim_world_players_const(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->max_players; i++)
        count += players[i].state == RAIM_PLAYER_ALIVE;
    return count;
}

// Every player keeps a direction for a third of a second on average and turns slightly in every
// tick. As many players fire as bullets are missing, beginning with a random one. Returns the
// number of bullets that will be in flight.
static uint32_t make_inputs(struct arena *arena)
{
    const raim_player *players = raim_world_players_const(arena->world);
    if (arena->players == 0)
        return 0;
    uint32_t lacking = arena->bullets - count_bullets(arena->world);
    const uint32_t first = raim_random_below(&arena->random, arena->players);
    for (uint32_t i = 0; i < arena->players; i++) {
        const uint32_t slot = (first + i) % arena->players;
        raim_input *input = &arena->inputs[slot];
        if (raim_random_below(&arena->random, TICK_HZ / 3) == 0) {
            input->move_x = (int8_t)((int)raim_random_below(&arena->random, 3) - 1);
            input->move_y = (int8_t)((int)raim_random_below(&arena->random, 3) - 1);
        }
        input->aim = (raim_angle)(input->aim + chance_uniform(&arena->random, -1000, 1000));
        const raim_player *player = &players[slot];
        input->fire =
            lacking > 0 && player->state == RAIM_PLAYER_ALIVE && player->cooldown_ticks <= 1;
        input->rewind = (uint8_t)arena->rewind;
        lacking -= input->fire;
    }
    return arena->bullets - lacking;
}

static int64_t timed_step(struct arena *arena)
{
    const int64_t start = measure_ns(CLOCK_MONOTONIC);
    raim_world_step(arena->world, arena->map, arena->inputs, &arena->events, arena->workspace);
    return measure_ns(CLOCK_MONOTONIC) - start;
}

static bool create_arena(struct arena *arena, int obstacles, int room)
{
    struct raim_world_def def = {.rules = raim_rules_default(),
                                 .tick_hz = TICK_HZ,
                                 .max_players = arena->slots,
                                 .max_rewind = arena->rewind,
                                 .seed = raim_random_next(&arena->random)};
    // Long flights and short cooldowns let 64 players keep 200 bullets in flight. Without a respawn
    // delay, all players are always in play.
    def.rules.bullet_lifetime = 2;
    def.rules.fire_cooldown = 0.15;
    def.rules.respawn_delay = 0;
    def.rules.spawn_protection = 0;
    void *memory = malloc(raim_world_size(&def));
    const uint32_t capacity =
        raim_events_bound(arena->slots, arena->slots * raim_world_bullets_per_player(&def));
    arena->events.items = malloc(capacity * sizeof *arena->events.items);
    arena->events.capacity = capacity;
    arena->workspace = raim_world_workspace_create();
    arena->map = scene_create(&arena->random, obstacles, room, def.rules.player_radius);
    if (memory == NULL || arena->events.items == NULL || arena->workspace == NULL ||
        arena->map == NULL)
        return false;
    arena->world = raim_world_init(memory, &def);
    for (uint32_t i = 0; i < arena->players; i++)
        raim_world_join(arena->world);
    return true;
}

// Moves all players to random free positions, instead of around the spawns.
static void scatter(struct arena *arena)
{
    const double radius = arena->world->rules.player_radius;
    raim_player *players = raim_world_players(arena->world);
    for (uint32_t i = 0; i < arena->players; i++) {
        do
            players[i].position =
                raim_map_round(chance_point(&arena->random, arena->map->border, radius));
        while (!raim_map_is_free(arena->map, players[i].position, radius));
        players[i].previous = players[i].position;
    }
}

static void destroy_arena(struct arena *arena)
{
    free(arena->world);
    free(arena->events.items);
    raim_world_workspace_destroy(arena->workspace);
    raim_map_destroy(arena->map);
}

// Plays and measures. Prints a line. Returns false when memory runs out.
static bool measure(const struct measurement *what, bool is_growth)
{
    static struct arena arena;
    arena = (struct arena){
        .players = (uint32_t)what->players,
        .slots = (uint32_t)what->slots,
        .bullets = (uint32_t)what->players * 200 / 64,
        .rewind = (uint32_t)what->rewind,
        .random = what->seed,
    };
    if (!create_arena(&arena, what->obstacles, what->room))
        return false;
    for (int i = 0; i < WARMUP_STEPS; i++) {
        make_inputs(&arena);
        timed_step(&arena);
        if (i == WARMUP_STEPS / 2)
            scatter(&arena);
    }

    static double batches_us[MAX_BATCHES];
    uint64_t bullets = 0, players = 0;
    for (int batch = 0; batch < what->batches; batch++) {
        int64_t total_ns = 0;
        for (int i = 0; i < STEPS_PER_BATCH; i++) {
            bullets += make_inputs(&arena);
            total_ns += timed_step(&arena);
            players += count_players(arena.world);
        }
        batches_us[batch] = (double)total_ns / STEPS_PER_BATCH / 1000;
    }
    const double steps = (double)what->batches * STEPS_PER_BATCH;
    const double step_us = measure_quantile(batches_us, what->batches, 0.5);
    if (is_growth)
        printf("map=%s slots=%d player_ns=%.0f ", what->room == BASE_PLAYERS ? "one" : "grown",
               what->slots, what->players > 0 ? step_us * 1000 / what->players : 0);
    printf("step_us=%.2f p90_us=%.2f players=%.1f obstacles=%d bullets=%.1f\n", step_us,
           measure_quantile(batches_us, what->batches, 0.9), (double)players / steps,
           arena.map->obstacle_count, (double)bullets / steps);
    destroy_arena(&arena);
    return true;
}

static bool measure_growth(void)
{
    static const struct measurement table[] = {
        {.players = 16, .slots = 16, .obstacles = 50, .room = BASE_PLAYERS, .batches = 400},
        {.players = 64, .slots = 64, .obstacles = 50, .room = BASE_PLAYERS, .batches = 400},
        {.players = 250, .slots = 250, .obstacles = 50, .room = BASE_PLAYERS, .batches = 200},
        {.players = 1000, .slots = 1000, .obstacles = 50, .room = BASE_PLAYERS, .batches = 50},
        {.players = 250, .slots = 250, .obstacles = 195, .room = 250, .batches = 200},
        {.players = 1000, .slots = 1000, .obstacles = 781, .room = 1000, .batches = 50},
        {.players = 10, .slots = 1000, .obstacles = 781, .room = 1000, .batches = 400},
        {.players = 0, .slots = 64, .obstacles = 50, .room = BASE_PLAYERS, .batches = 400},
        {.players = 0, .slots = 1000, .obstacles = 50, .room = BASE_PLAYERS, .batches = 400},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct measurement what = table[i];
        what.seed = 1;
        if (!measure(&what, true))
            return false;
    }
    return true;
}

// Returns the number in argument `index`, or `fallback` without such an argument.
static int argument(int argc, char **argv, int index, int fallback)
{
    return index < argc ? atoi(argv[index]) : fallback;
}

int main(int argc, char **argv)
{
    const bool is_growth = argc == 2 && strcmp(argv[1], "growth") == 0;
    struct measurement what = {
        .seed = (uint64_t)argument(argc, argv, 1, 1),
        .players = argument(argc, argv, 2, BASE_PLAYERS),
        .obstacles = argument(argc, argv, 3, 50),
        .batches = argument(argc, argv, 4, 1000),
        .rewind = argument(argc, argv, 5, 0),
    };
    what.slots = what.room = what.players;
    if (what.players < 1 || what.players > RAIM_MAX_PLAYERS || what.obstacles < 1 ||
        what.obstacles > SCENE_MAX_OBSTACLES || what.batches < 1 || what.batches > MAX_BATCHES ||
        what.rewind < 0 || what.rewind > RAIM_MAX_REWIND) {
        fprintf(stderr, "usage: bench_step growth | [SEED [PLAYERS OBSTACLES BATCHES [REWIND]]]\n");
        return 64;
    }
    if (!(is_growth ? measure_growth() : measure(&what, false))) {
        fprintf(stderr, "cannot make the arena\n");
        return 1;
    }
    return 0;
}
