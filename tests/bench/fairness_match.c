// SPDX-License-Identifier: MIT
// Plays a match, keeps the last ticks of its world, and judges a tick once its clients have it on
// their screens.
#include "fairness_match.h"

#include "judge.h"
#include "lagged_client.h"
#include "random.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_HZ = 60, MAX_LOOP_MS = 250, INTERPOLATION_MS = 50, WARMUP_TICKS = 2 * TICK_HZ };

static const uint32_t rtts_ms[FAIRNESS_LATENCIES] = {20, 80, 150};

// Ticks of the world that are kept, and how long after its time a tick is judged.
enum { KEPT = 32, DELAY = 16 };
static_assert(MAX_LOOP_MS * TICK_HZ / 1000 < DELAY, "both ends of every loop are kept");
static_assert(MAX_LOOP_MS * TICK_HZ / 1000 < JUDGE_MAX_TICKS, "and a tick of rounding");

struct game {
    struct fairness_def def;
    struct raim_match *match;
    struct judge judge;
    struct lagged_client *clients;
    struct fairness_row *rows;
    struct raim_world *past[KEPT]; // by tick modulo KEPT
    size_t world_bytes;
    // Where players come to within the loop of each latency, worked out when first asked for.
    struct reachable_positions {
        bool known;
        uint32_t tick; // that they are of
        struct judge_positions positions;
    } * known; // by slot, then by latency
    uint32_t late_explained, leaks_explained;
};

// One viewer in the tick that is judged.
struct viewer {
    const struct lagged_client *client;
    const struct raim_wire_frame *frame; // the snapshot that its screen shows
    uint32_t latency;                    // index of its row
    uint32_t slot;
    uint32_t tick;
    uint32_t loop;
    bool stays;            // it lives on, or lies on, from the tick before to the end of the loop
    raim_vec2 now;         // where it is
    raim_vec2 then;        // and at the end of the loop, where it is on its screen
    raim_vec2 then_before; // a tick earlier
};

static uint32_t ticks_of(uint32_t ms)
{
    return (ms * TICK_HZ + 999) / 1000;
}

static const struct raim_world *world_at(const struct game *game, uint32_t tick)
{
    const struct raim_world *world = game->past[tick % KEPT];
    assert(world->tick == tick);
    return world;
}

static const raim_player *player_at(const struct game *game, uint32_t tick, uint32_t slot)
{
    return &raim_world_players_const(world_at(game, tick))[slot];
}

static raim_vec2 bullet_at(const struct game *game, uint32_t tick, const raim_bullet *bullet)
{
    return raim_bullet_position(&world_at(game, tick)->rules, bullet, tick, TICK_HZ);
}

static bool same_life(const raim_player *a, const raim_player *b)
{
    return a->id == b->id && a->state == b->state && a->life == b->life;
}

// --- sent entities ---

static struct judge_positions *positions_of(struct game *game, const struct viewer *viewer,
                                            uint32_t slot)
{
    struct reachable_positions *known = &game->known[slot * FAIRNESS_LATENCIES + viewer->latency];
    if (known->known && known->tick == viewer->tick)
        return &known->positions;
    known->known = true;
    known->tick = viewer->tick;
    const raim_player *player = player_at(game, viewer->tick, slot);
    if (player->state == RAIM_PLAYER_ALIVE)
        judge_run(&game->judge, player->position, (int)viewer->loop + 1, &known->positions);
    else
        judge_stand(player->position, &known->positions);
    return &known->positions;
}

static void explain_leak(struct game *game, const struct viewer *viewer, const char *what,
                         uint32_t slot, struct judge_positions *target, double radius)
{
    if (game->leaks_explained++ >= game->def.explained)
        return;
    struct judge boundless = game->judge;
    struct judge_witness witness;
    boundless.view = (raim_vec2){INFINITY, INFINITY};
    const bool sees = judge_find_witness(&boundless, positions_of(game, viewer, viewer->slot),
                                         target, radius, &witness);
    const raim_vec2 eye = viewer->now, centre = target->points[0];
    printf("leak: seed %" PRIu64 " tick %u loop %u: viewer %u at (%.5f, %.5f) is told of %s %u at "
           "(%.5f, %.5f), off by (%.2f, %.2f), %s\n",
           game->def.seed, viewer->tick, viewer->loop, viewer->slot, eye.x, eye.y, what, slot,
           centre.x, centre.y, centre.x - eye.x, centre.y - eye.y,
           sees ? "seen only beyond the screen" : "not to be seen");
}

// True when it has to be a leak: nothing puts it on the screen.
static bool judge_sent(struct game *game, const struct viewer *viewer,
                       struct judge_positions *target, double radius, struct fairness_tally *tally)
{
    struct judge_witness witness;
    tally->told++;
    if (judge_is_on_screen(&game->judge, viewer->now, target->points[0], radius)) {
        tally->plain++;
        return false;
    }
    if (judge_find_witness(&game->judge, positions_of(game, viewer, viewer->slot), target, radius,
                           &witness)) {
        tally->soon++;
        return false;
    }
    tally->leaks++;
    return true;
}

static void judge_sent_players(struct game *game, const struct viewer *viewer)
{
    const struct raim_wire_limits *limits = &viewer->client->limits;
    const struct raim_wire_frame *frame = viewer->frame;
    struct fairness_tally *tally = &game->rows[viewer->latency].players;
    const double radius = game->judge.player_radius;
    for (uint32_t slot = raim_set_next(frame->seen_players, 0, limits->players);
         slot < limits->players;
         slot = raim_set_next(frame->seen_players, slot + 1, limits->players)) {
        const raim_player *player = player_at(game, viewer->tick, slot);
        const raim_wire_player told =
            raim_wire_predict_player(limits, &frame->players[slot], viewer->tick - frame->tick);
        if (player->state != RAIM_PLAYER_ALIVE || told.x != player->position.x * RAIM_WIRE_UNITS ||
            told.y != player->position.y * RAIM_WIRE_UNITS) {
            tally->wrong++;
            continue;
        }
        if (slot == viewer->slot)
            continue;
        struct judge_positions *positions = positions_of(game, viewer, slot);
        if (judge_sent(game, viewer, positions, radius, tally))
            explain_leak(game, viewer, "player", slot, positions, radius);
    }
}

static void judge_sent_bullets(struct game *game, const struct viewer *viewer)
{
    static const double tolerance = 0.1; // without its origin a bullet is rounded to the grid
    const struct raim_world *world = world_at(game, viewer->tick);
    const struct raim_wire_frame *frame = viewer->frame;
    struct fairness_tally *tally = &game->rows[viewer->latency].bullets;
    struct judge_positions positions;
    for (uint32_t slot = raim_set_next(frame->seen_bullets, 0, world->max_bullets);
         slot < world->max_bullets;
         slot = raim_set_next(frame->seen_bullets, slot + 1, world->max_bullets)) {
        const raim_bullet *bullet = &raim_world_bullets_const(world)[slot];
        const raim_wire_bullet *wire = &frame->bullets[slot];
        const raim_bullet told = {
            .origin = {wire->x / (double)RAIM_WIRE_UNITS, wire->y / (double)RAIM_WIRE_UNITS},
            .direction = raim_angle_direction(wire->aim),
            .born_tick = wire->tick,
        };
        const raim_vec2 position = bullet_at(game, viewer->tick, bullet);
        const raim_vec2 sent_at = bullet_at(game, viewer->tick, &told);
        if (bullet->owner == RAIM_NOBODY ||
            raim_vec2_distance_squared(position, sent_at) > tolerance * tolerance) {
            tally->wrong++;
            continue;
        }
        judge_fly(&game->judge, world, bullet, (int)viewer->loop + 1, &positions);
        if (judge_sent(game, viewer, &positions, world->rules.bullet_radius, tally))
            explain_leak(game, viewer, "bullet", slot, &positions, world->rules.bullet_radius);
    }
}

// --- what is seen ---

// Something that is at `centre` now and was at `before`, if it was at all.
struct thing {
    raim_vec2 centre, before;
    double radius;
    bool was;   // it was there a tick ago
    bool jumps; // it has come otherwise than by moving
    bool told;
};

static void explain_late(struct game *game, const struct viewer *viewer, const char *what,
                         uint32_t slot, const struct thing *thing)
{
    if (game->late_explained++ >= game->def.explained)
        return;
    printf("late: seed %" PRIu64 " tick %u loop %u: viewer %u at (%.5f, %.5f), on its screen at "
           "(%.5f, %.5f), sees %s %u at (%.5f, %.5f), before at (%.5f, %.5f), ",
           game->def.seed, viewer->tick, viewer->loop, viewer->slot, viewer->now.x, viewer->now.y,
           viewer->then.x, viewer->then.y, what, slot, thing->centre.x, thing->centre.y,
           thing->before.x, thing->before.y);
    if (!thing->was)
        puts("which is new");
    else if (judge_is_in_view(&game->judge, viewer->then_before, thing->before, thing->radius))
        puts("from behind an obstacle");
    else
        puts("over the edge of its screen");
}

// Returns true when it is a late reveal.
static bool judge_seen(struct game *game, const struct viewer *viewer, const struct thing *thing,
                       struct fairness_tally *tally)
{
    const struct judge *judge = &game->judge;
    if (judge_is_in_view(judge, viewer->now, thing->centre, thing->radius)) {
        const bool sees =
            raim_map_sees_circle(judge->map, viewer->now, thing->centre, thing->radius);
        tally->inside++;
        tally->hidden += !sees;
        tally->hidden_sent += !sees && thing->told;
    }
    if (!judge_is_on_screen(judge, viewer->then, thing->centre, thing->radius) ||
        (thing->was &&
         judge_is_on_screen(judge, viewer->then_before, thing->before, thing->radius)))
        return false;
    if (thing->jumps || !viewer->stays) {
        tally->jumps++;
        return false;
    }
    tally->reveals++;
    tally->late += !thing->told;
    return !thing->told;
}

static void judge_seen_players(struct game *game, const struct viewer *viewer)
{
    struct fairness_tally *tally = &game->rows[viewer->latency].players;
    for (uint32_t slot = 0; slot < game->def.players; slot++) {
        const raim_player *player = player_at(game, viewer->tick, slot);
        const raim_player *before = player_at(game, viewer->tick - 1, slot);
        const bool was = same_life(player, before);
        const struct thing thing = {
            .centre = player->position,
            .before = before->position,
            .radius = game->judge.player_radius,
            .was = was,
            .jumps = !was,
            .told = raim_set_has(viewer->frame->seen_players, slot),
        };
        if (slot != viewer->slot && player->state == RAIM_PLAYER_ALIVE &&
            judge_seen(game, viewer, &thing, tally))
            explain_late(game, viewer, "player", slot, &thing);
    }
}

static void judge_seen_bullets(struct game *game, const struct viewer *viewer)
{
    const struct raim_world *world = world_at(game, viewer->tick);
    const raim_bullet *bullets = raim_world_bullets_const(world);
    struct fairness_tally *tally = &game->rows[viewer->latency].bullets;
    for (uint32_t slot = 0; slot < world->max_bullets; slot++) {
        if (bullets[slot].owner == RAIM_NOBODY)
            continue;
        const uint32_t fired = raim_bullet_launch_tick(&bullets[slot]) + bullets[slot].rewind;
        const struct thing thing = {
            .centre = bullet_at(game, viewer->tick, &bullets[slot]),
            .before = bullet_at(game, viewer->tick - 1, &bullets[slot]),
            .radius = world->rules.bullet_radius,
            .was = raim_tick_diff(viewer->tick, fired) > 1,
            .told = raim_set_has(viewer->frame->seen_bullets, slot),
        };
        if (judge_seen(game, viewer, &thing, tally))
            explain_late(game, viewer, "bullet", slot, &thing);
    }
}

// --- the match ---

static void judge_viewer(struct game *game, const struct lagged_client *client, uint32_t tick)
{
    const uint32_t latency = client->handle % FAIRNESS_LATENCIES;
    const uint32_t loop = game->rows[latency].loop_ticks;
    const raim_player *before = player_at(game, tick - 1, client->slot);
    const raim_player *now = player_at(game, tick, client->slot);
    const raim_player *then = player_at(game, tick + loop, client->slot);
    const struct viewer viewer = {
        .client = client,
        .frame = lagged_client_at(client, tick),
        .latency = latency,
        .slot = client->slot,
        .tick = tick,
        .loop = loop,
        .stays = same_life(before, now) && same_life(now, then),
        .now = now->position,
        .then = then->position,
        .then_before = player_at(game, tick + loop - 1, client->slot)->position,
    };
    // Before its first spawn a player has no position.
    if (viewer.frame == NULL || (now->state != RAIM_PLAYER_ALIVE && now->deaths == 0))
        return;
    game->rows[latency].viewer_ticks++;
    judge_sent_players(game, &viewer);
    judge_sent_bullets(game, &viewer);
    judge_seen_players(game, &viewer);
    judge_seen_bullets(game, &viewer);
}

static bool create(struct game *game)
{
    const raim_vec2 view = game->judge.view;
    uint64_t random = game->def.seed;
    struct raim_match_def def = raim_match_default_def();
    def.map = game->def.map;
    def.rules = game->def.rules;
    def.tick_hz = TICK_HZ;
    def.view_width = (uint32_t)view.x;
    def.view_height = (uint32_t)view.y;
    def.tuning.max_players = game->def.players;
    def.tuning.max_spectators = 0;
    def.max_connections = game->def.players + 1;
    def.seed = raim_random_next(&random);
    game->match = raim_match_create(&def);
    game->clients = calloc(def.tuning.max_players, sizeof *game->clients);
    game->known = calloc(def.tuning.max_players * FAIRNESS_LATENCIES, sizeof *game->known);
    const struct raim_world_def world_def = {
        .rules = def.rules, .tick_hz = TICK_HZ, .max_players = def.tuning.max_players};
    game->world_bytes = raim_world_size(&world_def);
    bool good = game->match != NULL && game->clients != NULL && game->known != NULL;
    for (int i = 0; i < KEPT; i++) {
        game->past[i] = malloc(game->world_bytes);
        good = good && game->past[i] != NULL;
    }
    if (!good)
        return false;
    game->judge.map = def.map;
    game->judge.player_radius = def.rules.player_radius;
    game->judge.stride = raim_world_stride(&def.rules, TICK_HZ);
    for (uint32_t i = 0; i < def.tuning.max_players; i++) {
        lagged_client_init(&game->clients[i], i, ticks_of(rtts_ms[i % FAIRNESS_LATENCIES]), def.map,
                           view, raim_random_next(&random));
        lagged_client_enter(&game->clients[i], game->match);
    }
    return true;
}

static void destroy(struct game *game)
{
    for (uint32_t i = 0; i < game->def.players && game->clients != NULL; i++)
        lagged_client_release(&game->clients[i]);
    for (int i = 0; i < KEPT; i++)
        free(game->past[i]);
    free(game->clients);
    free(game->known);
    raim_match_destroy(game->match);
}

static bool play_tick(struct game *game)
{
    const uint32_t players = game->def.players;
    for (uint32_t i = 0; i < players; i++)
        lagged_client_deliver(&game->clients[i], game->match);
    raim_match_step(game->match);
    for (struct raim_outgoing message; raim_match_outgoing(game->match, &message);)
        if (!lagged_client_take(&game->clients[message.client], game->match, &message))
            return false;
    for (uint32_t i = 0; i < players; i++)
        lagged_client_play(&game->clients[i], game->match);
    memcpy(game->past[raim_match_tick(game->match) % KEPT], raim_match_world(game->match),
           game->world_bytes);
    return true;
}

bool fairness_play(const struct fairness_def *def, struct fairness_row rows[FAIRNESS_LATENCIES])
{
    assert(def->players >= FAIRNESS_LATENCIES && def->players <= FAIRNESS_MAX_PLAYERS);
    struct game game = {.def = *def, .judge = {.view = {1600, 861}}, .rows = rows};
    for (int i = 0; i < FAIRNESS_LATENCIES; i++)
        rows[i] = (struct fairness_row){
            .rtt_ms = rtts_ms[i],
            .loop_ticks = ticks_of(rtts_ms[i] + INTERPOLATION_MS),
        };
    bool good = create(&game);
    for (uint32_t tick = 1; good && tick <= WARMUP_TICKS + def->ticks + DELAY; tick++) {
        good = play_tick(&game);
        for (uint32_t i = 0; good && i < def->players && tick > WARMUP_TICKS + DELAY; i++)
            judge_viewer(&game, &game.clients[i], tick - DELAY);
    }
    for (uint32_t i = 0; good && i < def->players; i++)
        good = game.clients[i].unread == 0;
    destroy(&game);
    return good;
}
