// SPDX-License-Identifier: MIT
// How long does one step of a busy world take: 64 players, 50 obstacles, 200 bullets in the air?
//
//   bench_step [SEED]
//     Prints "step_us=... p90_us=... players=... obstacles=... bullets=...": the median and the
//     90th percentile over batches of the mean step of each, and the means of what was in play.
// Players run and aim at random; who fires is chosen so that the number of bullets stays at 200.
// Inputs are made outside the measured time.
#define _GNU_SOURCE

#include "world.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PLAYERS 64
#define OBSTACLES 50
#define BULLETS 200
#define SPAWNS 16
#define TICK_HZ 60

#define BATCHES 200
#define STEPS_PER_BATCH 100

// Time for everybody to rise and for the bullets to reach their number.
#define WARMUP_STEPS 600

// Three screens each way: with 64 players in less, no bullet flies far.
static const raim_box border = {{0, 0}, {4800, 2700}};

struct arena {
    struct raim_map *map;
    struct raim_world *world;
    struct raim_events events;
    raim_input inputs[PLAYERS];
    uint64_t random;
};

// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// Uniform in [low, high).
static double uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)(next_random(state) >> 11) * 0x1p-53;
}

static raim_vec2 random_point(uint64_t *state, double margin)
{
    const double x = uniform(state, border.min.x + margin, border.max.x - margin);
    return (raim_vec2){x, uniform(state, border.min.y + margin, border.max.y - margin)};
}

// --- the map ---

struct disc {
    raim_vec2 centre;
    double radius;
};

static bool overlaps_any(const struct disc *discs, int count, struct disc disc)
{
    for (int i = 0; i < count; i++) {
        const double reach = discs[i].radius + disc.radius;
        if (raim_vec2_distance_squared(discs[i].centre, disc.centre) < reach * reach)
            return true;
    }
    return false;
}

// A disc of a random place that keeps `gap` from all the others.
static struct disc free_disc(uint64_t *state, const struct disc *discs, int count, double radius,
                             double gap)
{
    struct disc disc;
    do
        disc = (struct disc){random_point(state, radius + gap), radius + gap};
    while (overlaps_any(discs, count, disc));
    disc.radius = radius;
    return disc;
}

// A polygon of 4 to 8 corners on the disc's rim, so that it is convex.
static struct raim_obstacle_def random_obstacle(uint64_t *state, struct disc disc)
{
    struct raim_obstacle_def obstacle = {.count = 4 + (int)(next_random(state) % 5)};
    const double sector = (double)RAIM_ANGLE_TURN / obstacle.count;
    for (int i = 0; i < obstacle.count; i++) {
        const raim_angle angle = (raim_angle)((i + uniform(state, 0.1, 0.9)) * sector);
        obstacle.points[i] = raim_vec2_mad(disc.centre, raim_angle_direction(angle), disc.radius);
    }
    return obstacle;
}

static struct raim_map *create_map(uint64_t *state, double player_radius)
{
    struct disc discs[OBSTACLES];
    struct raim_obstacle_def obstacles[OBSTACLES];
    raim_vec2 spawns[SPAWNS];
    for (int i = 0; i < OBSTACLES; i++) {
        discs[i] = free_disc(state, discs, i, uniform(state, 40, 90), 3 * player_radius);
        obstacles[i] = random_obstacle(state, discs[i]);
    }
    for (int i = 0; i < SPAWNS; i++)
        spawns[i] = free_disc(state, discs, OBSTACLES, player_radius, 1).centre;
    struct raim_map_problem problem;
    return raim_map_create(&(struct raim_map_def){.name = "bench",
                                                  .border = border,
                                                  .obstacles = obstacles,
                                                  .obstacle_count = OBSTACLES,
                                                  .spawns = spawns,
                                                  .spawn_count = SPAWNS},
                           &problem);
}

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

// Everybody keeps a direction for a third of a second on average and turns a little every tick;
// as many as bullets are lacking pull the trigger, beginning with a random one. Returns the number
// of bullets that will be in the air.
static uint32_t make_inputs(struct arena *arena)
{
    const raim_player *players = raim_world_players_const(arena->world);
    uint32_t lacking = BULLETS - count_bullets(arena->world);
    const uint32_t first = (uint32_t)(next_random(&arena->random) % PLAYERS);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const uint32_t place = (first + i) % PLAYERS;
        raim_input *input = &arena->inputs[place];
        if (next_random(&arena->random) % (TICK_HZ / 3) == 0) {
            input->move_x = (int8_t)((int)(next_random(&arena->random) % 3) - 1);
            input->move_y = (int8_t)((int)(next_random(&arena->random) % 3) - 1);
        }
        input->aim = (raim_angle)(input->aim + uniform(&arena->random, -1000, 1000));
        const raim_player *player = &players[place];
        input->fire =
            lacking > 0 && player->state == RAIM_PLAYER_ALIVE && player->cooldown_ticks <= 1;
        lacking -= input->fire;
    }
    return BULLETS - lacking;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int64_t timed_step(struct arena *arena)
{
    const int64_t start = now_ns();
    raim_world_step(arena->world, arena->map, arena->inputs, &arena->events);
    return now_ns() - start;
}

static bool create_arena(struct arena *arena)
{
    struct raim_world_def def = {.rules = raim_rules_default(),
                                 .tick_hz = TICK_HZ,
                                 .max_players = PLAYERS,
                                 .seed = next_random(&arena->random)};
    // Long flights and short cooldowns, so that 64 players can keep 200 bullets in the air; no
    // time down, so that all 64 play.
    def.rules.bullet_lifetime = 2;
    def.rules.fire_cooldown = 0.15;
    def.rules.respawn_delay = 0;
    def.rules.spawn_protection = 0;
    const uint32_t capacity = raim_events_bound(PLAYERS, raim_world_bullets_for(&def));
    void *memory = malloc(raim_world_size(&def));
    arena->events.items = malloc(capacity * sizeof *arena->events.items);
    arena->events.capacity = capacity;
    arena->map = create_map(&arena->random, def.rules.player_radius);
    if (memory == NULL || arena->events.items == NULL || arena->map == NULL)
        return false;
    arena->world = raim_world_init(memory, &def);
    for (int i = 0; i < PLAYERS; i++)
        raim_world_join(arena->world);
    return true;
}

// Everybody to a random free position, instead of around the spawns.
static void scatter(struct arena *arena)
{
    const double radius = arena->world->rules.player_radius;
    raim_player *players = raim_world_players(arena->world);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        do
            players[i].position = random_point(&arena->random, radius);
        while (!raim_map_is_free(arena->map, players[i].position, radius));
        players[i].previous = players[i].position;
    }
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    struct arena arena = {.random = argc > 1 ? strtoull(argv[1], NULL, 10) : 1};
    if (!create_arena(&arena)) {
        fprintf(stderr, "cannot make the arena\n");
        return 1;
    }
    for (int i = 0; i < WARMUP_STEPS; i++) {
        make_inputs(&arena);
        timed_step(&arena);
        if (i == WARMUP_STEPS / 2)
            scatter(&arena);
    }

    static double batches_us[BATCHES];
    uint64_t bullets = 0, players = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        int64_t total_ns = 0;
        for (int i = 0; i < STEPS_PER_BATCH; i++) {
            bullets += make_inputs(&arena);
            total_ns += timed_step(&arena);
            players += count_players(arena.world);
        }
        batches_us[batch] = (double)total_ns / STEPS_PER_BATCH / 1000;
    }
    qsort(batches_us, BATCHES, sizeof *batches_us, ascending);
    const double steps = (double)BATCHES * STEPS_PER_BATCH;
    printf("step_us=%.2f p90_us=%.2f players=%.1f obstacles=%d bullets=%.1f\n",
           batches_us[BATCHES / 2], batches_us[BATCHES * 9 / 10], (double)players / steps,
           arena.map->obstacle_count, (double)bullets / steps);
    free(arena.world);
    free(arena.events.items);
    raim_map_destroy(arena.map);
    return 0;
}
