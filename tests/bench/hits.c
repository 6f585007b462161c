// SPDX-License-Identifier: MIT
// Plays one match between bots of equal skill, every other one behind a far line, through real
// clients over a simulated network, and prints the hit rates of both groups and the kills behind
// cover.     bench_hits MAP_FILE SEED PLAYERS SECONDS MAX_REWIND_MS
#include "map_file.h"
#include "match_internal.h"
#include "netsim.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double near_ms = 20, far_ms = 150; // round trips, half of it each way
static const double warm_up_s = 5;

enum { KEPT = 128 }; // ticks

struct trace {
    raim_vec2 position;
    uint8_t life;
};

struct game {
    struct netsim *netsim;
    const struct raim_map *map;
    struct raim_world *before; // as it was before the last step
    size_t world_bytes;
    struct trace traces[KEPT][NETSIM_MAX_PLAYERS]; // by tick modulo KEPT
    uint64_t kills;
    uint64_t behind;      // of the kills: nobody could shoot there any more
    uint64_t behind_long; // of these: for longer than shots may be rewound
    uint32_t most_behind; // ticks
};

// For how many ticks, at least, there has been no line from a point to somebody killed in the last
// step that a bullet could have come along.
static uint32_t ticks_behind_cover(const struct game *game, const struct raim_world *world,
                                   raim_vec2 from, uint32_t slot)
{
    const double radius = world->rules.player_radius + world->rules.bullet_radius;
    const uint8_t life = raim_world_players_const(world)[slot].life;
    uint32_t hidden = 0;
    for (; hidden < KEPT; hidden++) {
        const struct trace *trace = &game->traces[(world->tick - hidden) % KEPT][slot];
        if (trace->life != life || raim_map_sees_circle(game->map, from, trace->position, radius))
            break;
    }
    return hidden > 0 ? hidden - 1 : 0;
}

// From where a bullet of a player that ended in the last step can have come: the shortest time
// behind cover of a victim. There may be several such bullets; it was one of them.
static uint32_t best_excuse(const struct game *game, const struct raim_world *world,
                            uint32_t shooter, uint32_t victim)
{
    const raim_player *now = &raim_world_players_const(world)[shooter];
    const raim_player *then = &raim_world_players_const(game->before)[shooter];
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < world->bullets_per_player; i++) {
        const uint32_t slot = shooter * world->bullets_per_player + i;
        const raim_bullet *bullet = &raim_world_bullets_const(game->before)[slot];
        const raim_bullet *left = &raim_world_bullets_const(world)[slot];
        if (bullet->owner == RAIM_NOBODY ||
            (left->owner == bullet->owner && left->born_tick == bullet->born_tick &&
             left->rewind == bullet->rewind))
            continue;
        const uint32_t ticks = ticks_behind_cover(game, world, bullet->origin, victim);
        best = ticks < best ? ticks : best;
    }
    if (now->shots != then->shots) {
        const uint32_t ticks = ticks_behind_cover(game, world, now->position, victim);
        best = ticks < best ? ticks : best;
    }
    assert(best != UINT32_MAX);
    return best;
}

static void judge_kills(struct game *game)
{
    const struct raim_match *match = netsim_match(game->netsim);
    const struct raim_world *world = raim_match_world(match);
    const raim_player *players = raim_world_players_const(world);
    for (uint32_t slot = 0; slot < world->max_players; slot++)
        game->traces[world->tick % KEPT][slot] =
            (struct trace){.position = players[slot].position, .life = players[slot].life};
    for (uint32_t i = 0; i < match->step_events.count; i++) {
        const raim_event *event = &match->step_events.items[i];
        if (event->kind != RAIM_EVENT_KILL)
            continue;
        const uint32_t ticks = best_excuse(game, world, raim_player_slot(event->actor),
                                           raim_player_slot(event->victim));
        game->kills++;
        game->behind += ticks > 0;
        game->behind_long += ticks > world->max_rewind;
        game->most_behind = ticks > game->most_behind ? ticks : game->most_behind;
    }
    memcpy(game->before, world, game->world_bytes);
}

static bool play(struct game *game, double seconds)
{
    const struct raim_world *world = raim_match_world(netsim_match(game->netsim));
    const double first_tick = world->tick + warm_up_s * world->tick_hz;
    const struct raim_world_def def = {.rules = world->rules,
                                       .tick_hz = world->tick_hz,
                                       .max_players = world->max_players,
                                       .max_rewind = world->max_rewind};
    game->world_bytes = raim_world_size(&def);
    game->before = malloc(game->world_bytes);
    if (game->before == NULL)
        return false;
    memcpy(game->before, world, game->world_bytes);
    while (world->tick < first_tick + seconds * world->tick_hz) {
        if (world->tick == first_tick)
            netsim_measure(game->netsim);
        if (!netsim_step(game->netsim))
            return false;
        judge_kills(game);
    }
    return true;
}

static void print(const struct game *game, uint32_t players)
{
    const struct raim_match_hits hits = raim_match_counts(netsim_match(game->netsim)).hits;
    struct netsim_figures sums[2] = {{0}};
    for (uint32_t i = 0; i < players; i++) {
        const struct netsim_figures figures = netsim_figures(game->netsim, i);
        sums[i % 2].shots += figures.shots;
        sums[i % 2].hits += figures.hits;
        sums[i % 2].view_delay_ms += figures.view_delay_ms / ((players + 1 - i % 2) / 2);
    }
    printf("near_shots=%" PRIu64 " near_hits=%" PRIu64 " near_view_delay_ms=%.1f", sums[0].shots,
           sums[0].hits, sums[0].view_delay_ms);
    printf(" far_shots=%" PRIu64 " far_hits=%" PRIu64 " far_view_delay_ms=%.1f", sums[1].shots,
           sums[1].hits, sums[1].view_delay_ms);
    printf(" hits=%" PRIu64 " rewound=%" PRIu64 " in_past=%" PRIu64 " rewound_ms=%.0f"
           " most_rewound_ms=%.1f",
           hits.total, hits.rewound, hits.in_past, hits.rewound_ms, hits.most_rewound_ms);
    printf(" kills=%" PRIu64 " behind=%" PRIu64 " behind_long=%" PRIu64 " most_behind=%" PRIu32
           "\n",
           game->kills, game->behind, game->behind_long, game->most_behind);
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: bench_hits MAP_FILE SEED PLAYERS SECONDS MAX_REWIND_MS\n");
        return 64;
    }
    struct diagnostics report = {.out = stderr};
    struct raim_map *map =
        map_file_load(argv[1], NULL, raim_rules_default().player_radius, &report);
    if (map == NULL)
        return 78;
    const uint32_t players = (uint32_t)strtoul(argv[3], NULL, 10);
    const struct network_line near = {.latency_ms = near_ms / 2};
    const struct network_line far = {.latency_ms = far_ms / 2};
    struct netsim_def def = netsim_def_of(map, players, &near, strtoull(argv[2], NULL, 10));
    for (uint32_t i = 1; i < players; i += 2)
        def.lines[i] = far;
    def.lag_compensation_ms = (uint32_t)strtoul(argv[5], NULL, 10);
    struct game *game = calloc(1, sizeof *game);
    if (game == NULL)
        return 1;
    game->map = map;
    game->netsim = netsim_create(&def);
    const bool good = game->netsim != NULL && play(game, strtod(argv[4], NULL));
    if (good)
        print(game, players);
    netsim_destroy(game->netsim);
    free(game->before);
    free(game);
    raim_map_destroy(map);
    return good ? 0 : 1;
}
