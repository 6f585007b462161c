// SPDX-License-Identifier: MIT
// Benchmark of interest management: what it costs to find out, in each tick, what each client may
// be sent. Bots play on a map; the clients' latencies are those of a list, in turns.
//
//   bench_interest [--cold] MAP_FILE|scene PLAYERS TICKS [SEED [LATENCY...]]
//     Prints "us_per_client_tick=... set_tick_us=... players=... latencies=... sent_players=...
//     sent_bullets=...": the mean time per viewer and tick, the part of it that does not depend on
//     the viewer, and the means of what a viewer is sent.
// `scene` is a random map whose area and obstacles grow with the players. LATENCY is in ticks;
// without one, about those of bots at round trips of 15, 40, 80 and 150 ms with 5 ms of jitter.
// With --cold each step of the world begins with nothing of the arena in the processor's caches, as
// after the pause between two ticks of a server. The world's step and the bots are not measured.
#define _GNU_SOURCE

#include "interest.h"
#include "bot.h"
#include "map_file.h"
#include "measure.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

#define TICK_HZ 60
#define WARMUP_TICKS 300
#define MAX_LATENCY 15
#define TALLY_PERIOD 16 // ticks; what is sent is counted in ticks that are not measured
#define MAX_LATENCIES 8
#define COLD_BYTES (64 << 20) // more than the caches of most processors hold

static const raim_vec2 view = {1600, 861};

struct bench {
    struct raim_map *map;
    struct raim_world *world;
    struct raim_events events;
    struct raim_world_workspace *workspace;
    struct raim_history history;
    struct raim_interest *interest;
    struct raim_bot *bots;
    raim_input *inputs;
    uint64_t *players_set, *bullets_set;
    uint32_t players;
    uint32_t latencies[MAX_LATENCIES];
    int latency_count;
    uint8_t *cold; // COLD_BYTES that displace everything else from the caches; NULL: warm
    uint64_t set_tick_ns, find_ns, measured; // of clients' ticks
    uint64_t sent_players, sent_bullets, tallied;
};

// --- playing ---

static raim_input think(struct bench *bench, uint32_t slot)
{
    const raim_player *players = raim_world_players_const(bench->world);
    const raim_player *self = &players[slot];
    struct raim_bot_enemy enemies[RAIM_BOT_MAX_ENEMIES];
    struct raim_bot_observation sight = {.map = bench->map,
                                         .rules = &bench->world->rules,
                                         .tick = bench->world->tick,
                                         .tick_hz = TICK_HZ,
                                         .position = self->position,
                                         .enemies = enemies};
    for (uint32_t i = 0; i < bench->players && sight.enemy_count < RAIM_BOT_MAX_ENEMIES; i++) {
        const raim_vec2 away = raim_vec2_sub(players[i].position, self->position);
        if (i == slot || players[i].state != RAIM_PLAYER_ALIVE || fabs(away.x) > view.x / 2 ||
            fabs(away.y) > view.y / 2)
            continue;
        enemies[sight.enemy_count++] = (struct raim_bot_enemy){
            .key = (i + 1) << 8 | players[i].life,
            .position = players[i].position,
            .velocity =
                raim_vec2_scale(raim_vec2_sub(players[i].position, players[i].previous), TICK_HZ),
            .shielded = players[i].shield_ticks > 0,
        };
    }
    return raim_bot_think(&bench->bots[slot], &sight);
}

static void empty_caches(struct bench *bench)
{
    for (size_t at = 0; bench->cold != NULL && at < COLD_BYTES; at += 64)
        bench->cold[at]++;
}

static void play_tick(struct bench *bench)
{
    for (uint32_t slot = 0; slot < bench->players; slot++)
        if (raim_world_players_const(bench->world)[slot].state == RAIM_PLAYER_ALIVE)
            bench->inputs[slot] = think(bench, slot);
    empty_caches(bench);
    raim_world_step(bench->world, bench->map, bench->inputs, &bench->events, bench->workspace);
    raim_history_record(&bench->history, bench->world);
}

// --- measuring ---

static uint32_t count_of(const uint64_t *set, uint32_t limit)
{
    uint32_t count = 0;
    for (size_t i = 0; i < raim_set_words(limit); i++)
        count += (uint32_t)__builtin_popcountll(set[i]);
    return count;
}

static void tally(struct bench *bench)
{
    const struct raim_wire_limits *limits = &bench->history.limits;
    bench->sent_players += count_of(bench->players_set, limits->players);
    bench->sent_bullets += count_of(bench->bullets_set, raim_wire_bullets(limits));
}

static void find_tick(struct bench *bench)
{
    const bool is_tally = bench->world->tick % TALLY_PERIOD == 0;
    const int64_t start = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    raim_interest_set_tick(bench->interest, bench->world->tick);
    const int64_t begun = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    for (uint32_t slot = 0; slot < bench->players; slot++) {
        const struct raim_viewer viewer = {
            .slot = slot,
            .steers = true,
            .latency = bench->latencies[slot % (uint32_t)bench->latency_count],
        };
        raim_interest_find(bench->interest, &viewer, bench->players_set, bench->bullets_set);
        if (is_tally)
            tally(bench);
    }
    const int64_t end = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    if (is_tally) {
        bench->tallied += bench->players;
        return;
    }
    bench->measured += bench->players;
    bench->set_tick_ns += (uint64_t)(begun - start);
    bench->find_ns += (uint64_t)(end - begun);
}

// --- the arena ---

static struct raim_map *map_of(const char *name, uint32_t players, uint64_t *random)
{
    const double radius = raim_rules_default().player_radius;
    struct diagnostics report = {.out = stderr};
    if (strcmp(name, "scene") != 0)
        return map_file_load(name, NULL, radius, &report);
    const int obstacles = (int)(players * 50 / 64);
    return scene_create(random, obstacles > 12 ? obstacles : 12, (int)players, radius);
}

static bool create(struct bench *bench, const char *map, uint64_t seed)
{
    const struct raim_world_def world_def = {.rules = raim_rules_default(),
                                             .tick_hz = TICK_HZ,
                                             .max_players = bench->players,
                                             .seed = seed};
    uint64_t random = seed;
    bench->map = map_of(map, bench->players, &random);
    void *memory = malloc(raim_world_size(&world_def));
    if (bench->map == NULL || memory == NULL)
        return false;
    bench->world = raim_world_init(memory, &world_def);
    const struct raim_wire_limits limits = raim_wire_limits_of(bench->world);
    const uint32_t events = raim_events_bound(bench->players, bench->world->max_bullets);
    bench->events.items = calloc(events, sizeof *bench->events.items);
    bench->events.capacity = events;
    bench->workspace = raim_world_workspace_create();
    bench->bots = calloc(bench->players, sizeof *bench->bots);
    bench->inputs = calloc(bench->players, sizeof *bench->inputs);
    bench->players_set = calloc(raim_set_words(bench->players), sizeof(uint64_t));
    bench->bullets_set = calloc(raim_set_words(bench->world->max_bullets), sizeof(uint64_t));
    if (!raim_history_create(&bench->history, &limits, 4))
        return false;
    const struct raim_interest_def def = {
        .map = bench->map,
        .history = &bench->history,
        .rules = world_def.rules,
        .tick_hz = TICK_HZ,
        .view = view,
        .sight = true,
        .max_latency = MAX_LATENCY,
    };
    bench->interest = raim_interest_create(&def);
    if (bench->interest == NULL)
        return false;
    for (uint32_t i = 0; i < bench->players; i++) {
        raim_world_join(bench->world);
        raim_bot_init(&bench->bots[i], raim_random_next(&random));
    }
    return true;
}

static void destroy(struct bench *bench)
{
    raim_interest_destroy(bench->interest);
    raim_history_destroy(&bench->history);
    free(bench->events.items);
    raim_world_workspace_destroy(bench->workspace);
    free(bench->bots);
    free(bench->inputs);
    free(bench->players_set);
    free(bench->bullets_set);
    free(bench->cold);
    free(bench->world);
    raim_map_destroy(bench->map);
}

static bool read_latencies(struct bench *bench, int argc, char **argv)
{
    static const uint32_t usual[] = {9, 11, 12, 15};
    for (int i = 5; i < argc && bench->latency_count < MAX_LATENCIES; i++)
        bench->latencies[bench->latency_count++] = (uint32_t)atoi(argv[i]);
    for (int i = 0; argc <= 5 && i < 4; i++)
        bench->latencies[bench->latency_count++] = usual[i];
    for (int i = 0; i < bench->latency_count; i++)
        if (bench->latencies[i] > MAX_LATENCY)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    const bool is_cold = argc > 1 && strcmp(argv[1], "--cold") == 0;
    if (is_cold) {
        bench.cold = calloc(1, COLD_BYTES);
        argc--;
        argv++;
    }
    const uint32_t ticks = argc > 3 ? (uint32_t)atoi(argv[3]) : 0;
    bench.players = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
    if (bench.players < 1 || bench.players > RAIM_MAX_PLAYERS || ticks < 1 ||
        !read_latencies(&bench, argc, argv) || (is_cold && bench.cold == NULL)) {
        fprintf(stderr, "usage: bench_interest [--cold] MAP_FILE|scene PLAYERS TICKS [SEED "
                        "[LATENCY...]]\n");
        return 64;
    }
    if (!create(&bench, argv[1], argc > 4 ? strtoull(argv[4], NULL, 10) : 1)) {
        fprintf(stderr, "cannot make the arena\n");
        return 1;
    }
    for (uint32_t i = 0; i < WARMUP_TICKS + ticks; i++) {
        play_tick(&bench);
        if (i == WARMUP_TICKS)
            bench.set_tick_ns = bench.find_ns = bench.measured = bench.sent_players =
                bench.sent_bullets = bench.tallied = 0;
        find_tick(&bench);
    }
    printf("us_per_client_tick=%.3f set_tick_us=%.3f players=%u latencies=",
           (double)(bench.set_tick_ns + bench.find_ns) / (double)bench.measured / 1000,
           (double)bench.set_tick_ns / (double)bench.measured / 1000, bench.players);
    for (int i = 0; i < bench.latency_count; i++)
        printf("%s%u", i > 0 ? "," : "", bench.latencies[i]);
    printf(" sent_players=%.3f sent_bullets=%.3f\n",
           (double)bench.sent_players / (double)bench.tallied,
           (double)bench.sent_bullets / (double)bench.tallied);
    destroy(&bench);
    return 0;
}
