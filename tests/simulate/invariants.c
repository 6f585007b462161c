// SPDX-License-Identifier: MIT
// What must be true of the match after every tick. One function per invariant, in one table.
#include "state.h"

#include "chance_outlines.h"
#include "digest.h"
#include "validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALIDATION_STEPS = 16, MAX_OVERLAPPED_STEPS = TICK_HZ, HEAP_QUIETS = 2 };
static const double tolerance = 1e-6; // units; players stand on the map's grid

static const struct raim_world *world_of(const struct simulation *simulation)
{
    return raim_match_world(simulation->match);
}

static void measure_outlines(struct simulation *simulation)
{
    const struct raim_map *map = simulation->match_def.map;
    free(simulation->bounds);
    simulation->bounds = calloc((size_t)map->outline_count + 1, sizeof *simulation->bounds);
    for (int i = 0; i < map->outline_count; i++) {
        const struct raim_map_outline *outline = &map->outlines[i];
        simulation->bounds[i] = (raim_box){outline->points[0], outline->points[0]};
        for (int p = 1; p < outline->count; p++)
            simulation->bounds[i] = raim_box_include(simulation->bounds[i], outline->points[p]);
    }
}

void invariants_forget_match(struct simulation *simulation)
{
    const uint32_t bytes = (uint32_t)raim_world_bytes(world_of(simulation));
    for (int i = 0; i < KEPT_WORLDS && bytes > simulation->world_bytes; i++) {
        free(simulation->worlds[i]);
        simulation->worlds[i] = malloc(bytes);
    }
    if (bytes > simulation->world_bytes)
        simulation->world_bytes = bytes;
    memset(simulation->has_world, 0, sizeof simulation->has_world);
    memset(simulation->rosters, 0, sizeof simulation->rosters);
    memset(simulation->overlapped, 0, sizeof simulation->overlapped);
    simulation->has_before = false;
    measure_outlines(simulation);
    simulation->judge = (struct judge){
        .map = simulation->match_def.map,
        .view = {simulation->match_def.view_width, simulation->match_def.view_height},
        .player_radius = simulation->match_def.rules.player_radius,
        .stride = raim_world_stride(&simulation->match_def.rules, TICK_HZ),
    };
}

void invariants_release(struct simulation *simulation)
{
    for (int i = 0; i < KEPT_WORLDS; i++)
        free(simulation->worlds[i]);
    free(simulation->bounds);
}

// --- the players ---

static void check_players_are_distinct(struct simulation *simulation, const char *name)
{
    struct raim_match_player rows[MAX_SLOTS];
    const uint32_t count = raim_match_players(simulation->match, rows, MAX_SLOTS);
    uint8_t tokens[MAX_SLOTS][RAIM_TOKEN_BYTES];
    uint32_t away = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++)
            if (raim_player_slot(rows[i].id) == raim_player_slot(rows[j].id))
                fail(simulation, name, "ids %u and %u have one slot", rows[i].id, rows[j].id);
            else if (!rows[i].bot && !rows[j].bot && !rows[i].away && !rows[j].away &&
                     rows[i].client == rows[j].client)
                fail(simulation, name, "client %u plays %u and %u", rows[i].client, rows[i].id,
                     rows[j].id);
        if (!rows[i].bot && !rows[i].away && !simulation->is_connected[rows[i].client])
            fail(simulation, name, "%u is played by client %u, which is gone", rows[i].id,
                 rows[i].client);
        if (!rows[i].away || !raim_match_token(simulation->match, rows[i].id, tokens[away]))
            continue;
        for (uint32_t j = 0; j < away; j++)
            if (memcmp(tokens[j], tokens[away], RAIM_TOKEN_BYTES) == 0)
                fail(simulation, name, "two sessions have one token");
        away++;
    }
}

static void check_players_are_free(struct simulation *simulation, const char *name)
{
    const struct raim_world *world = world_of(simulation);
    const struct raim_map *map = simulation->match_def.map;
    const double radius = world->rules.player_radius - tolerance;
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_player *player = &raim_world_players_const(world)[slot];
        const raim_vec2 at = player->position;
        if (player->state != RAIM_PLAYER_ALIVE)
            continue;
        if (at.x - map->border.min.x < radius || map->border.max.x - at.x < radius ||
            at.y - map->border.min.y < radius || map->border.max.y - at.y < radius)
            fail(simulation, name, "slot %u at (%.5f, %.5f) is in the border", slot, at.x, at.y);
        for (int i = 0; i < map->outline_count; i++) {
            const struct raim_map_outline *outline = &map->outlines[i];
            if (!raim_box_contains(raim_box_grow(simulation->bounds[i], radius), at))
                continue;
            const double gap = slow_outline_distance(outline->points, outline->count, at);
            if (gap < radius)
                fail(simulation, name, "slot %u at (%.5f, %.5f) overlaps obstacle %d by %g units",
                     slot, at.x, at.y, i, radius - gap);
        }
    }
}

// Players are pushed apart tick by tick.
static void check_players_part(struct simulation *simulation, const char *name)
{
    const struct raim_world *world = world_of(simulation);
    const raim_player *players = raim_world_players_const(world);
    const double deep = world->rules.player_radius; // half of each
    const bool is_frozen = raim_match_round(simulation->match).phase != RAIM_MATCH_PLAY;
    for (uint32_t i = 0; i < world->max_players && !is_frozen; i++)
        for (uint32_t j = 0; j < i; j++) {
            const bool overlap =
                players[i].state == RAIM_PLAYER_ALIVE && players[j].state == RAIM_PLAYER_ALIVE &&
                raim_vec2_distance_squared(players[i].position, players[j].position) < deep * deep;
            uint16_t *steps = &simulation->overlapped[i][j];
            *steps = overlap ? (uint16_t)(*steps + 1) : 0;
            if (*steps > MAX_OVERLAPPED_STEPS)
                fail(simulation, name, "slots %u and %u at (%.3f, %.3f) overlap for %u steps", i, j,
                     players[i].position.x, players[i].position.y, *steps);
        }
}

static void check_bullets_are_in_range(struct simulation *simulation, const char *name)
{
    const struct raim_world *world = world_of(simulation);
    const raim_rules *rules = &world->rules;
    const double lifetime = rules->bullet_lifetime * world->tick_hz + 1;
    const double range = rules->player_radius + rules->bullet_speed * lifetime / world->tick_hz + 1;
    for (uint32_t slot = 0; slot < world->max_bullets; slot++) {
        const raim_bullet *bullet = &raim_world_bullets_const(world)[slot];
        if (bullet->owner == RAIM_NOBODY)
            continue;
        const uint32_t owner = raim_player_slot(bullet->owner);
        const raim_vec2 at = raim_bullet_position(rules, bullet, world->tick, world->tick_hz);
        const int32_t age = raim_tick_diff(world->tick, raim_bullet_launch_tick(bullet));
        if (owner != slot / world->bullets_per_player ||
            raim_world_players_const(world)[owner].id != bullet->owner)
            fail(simulation, name, "bullet %u belongs to %u, who is not there", slot,
                 bullet->owner);
        if (age < 0 || age > lifetime || bullet->rewind > world->max_rewind ||
            raim_vec2_distance_squared(at, bullet->origin) > range * range)
            fail(simulation, name, "bullet %u is %d ticks old, rewound by %u", slot, age,
                 bullet->rewind);
        if (!raim_map_is_free(simulation->match_def.map, at, 0))
            fail(simulation, name, "bullet %u at (%.3f, %.3f) is in an obstacle", slot, at.x, at.y);
    }
}

// --- the counts ---

static void check_counts_add_up(struct simulation *simulation, const char *name)
{
    struct raim_match_player rows[MAX_SLOTS];
    const uint32_t count = raim_match_players(simulation->match, rows, MAX_SLOTS);
    const struct raim_match_counts now = raim_match_counts(simulation->match);
    const struct raim_match_counts *before = &simulation->counts_before;
    uint32_t playing = 0, bots = 0, away = 0;
    for (uint32_t i = 0; i < count; i++) {
        playing += !rows[i].bot;
        bots += rows[i].bot;
        away += rows[i].away;
        if (rows[i].inputs_missed > rows[i].inputs_due || rows[i].inputs_due > rows[i].played_ticks)
            fail(simulation, name, "slot %u missed %u inputs of %u in %u ticks",
                 raim_player_slot(rows[i].id), rows[i].inputs_missed, rows[i].inputs_due,
                 rows[i].played_ticks);
    }
    if (now.players != playing || now.bots != bots || now.away != away ||
        (simulation->match_def.bot_fill ? bots > simulation->match_def.bots
                                        : bots != simulation->match_def.bots))
        fail(simulation, name, "%u players, %u bots, %u away, but rows of %u, %u, %u", now.players,
             now.bots, now.away, playing, bots, away);
    if (now.spectators > simulation->match_def.tuning.max_spectators ||
        now.players > simulation->match_def.tuning.max_players)
        fail(simulation, name, "%u players and %u spectators", now.players, now.spectators);
    if (now.hits.rewound > now.hits.total || now.hits.in_past > now.hits.rewound)
        fail(simulation, name, "hits");
    for (int i = 0; i < RAIM_REJECTIONS && simulation->has_before; i++)
        if (now.rejected[i] < before->rejected[i])
            fail(simulation, name, "%s fell", raim_rejection_name((enum raim_rejection)i));
    if (simulation->has_before &&
        (now.hits.total < before->hits.total || now.inputs_due < before->inputs_due ||
         now.snapshots < before->snapshots))
        fail(simulation, name, "a total fell");
    simulation->counts_before = now;
}

// A kill is a point for one player and a death for another.
static void check_points_equal_deaths(struct simulation *simulation, const char *name)
{
    const struct raim_world *world = world_of(simulation);
    const raim_player *players = raim_world_players_const(world);
    uint64_t points = 0, deaths = 0;
    if (!simulation->has_before ||
        raim_match_round(simulation->match).round != simulation->round_before.round)
        return;
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_player *before = &simulation->players_before[slot];
        if (players[slot].id != before->id)
            return;
        if (players[slot].score < before->score || players[slot].deaths < before->deaths)
            fail(simulation, name, "slot %u had %u points, and now %u", slot, before->score,
                 players[slot].score);
        points += players[slot].score - before->score;
        deaths += players[slot].deaths - before->deaths;
    }
    simulation->verdict->kills += deaths;
    if (points != deaths)
        fail(simulation, name, "%llu points for %llu deaths", (unsigned long long)points,
             (unsigned long long)deaths);
}

static void check_frozen_stands_still(struct simulation *simulation, const char *name)
{
    const struct raim_world *world = world_of(simulation);
    const raim_player *players = raim_world_players_const(world);
    const struct raim_match_round round = raim_match_round(simulation->match);
    if (!simulation->has_before || round.phase == RAIM_MATCH_PLAY ||
        round.phase != simulation->round_before.phase ||
        round.round != simulation->round_before.round)
        return;
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_player *before = &simulation->players_before[slot];
        if (players[slot].id == before->id && players[slot].state == RAIM_PLAYER_ALIVE &&
            before->state == RAIM_PLAYER_ALIVE &&
            (raim_vec2_distance_squared(players[slot].position, before->position) > 0 ||
             players[slot].shots != before->shots))
            fail(simulation, name, "slot %u moves or fires", slot);
    }
    for (uint32_t slot = 0; slot < world->max_bullets; slot++)
        if (raim_world_bullets_const(world)[slot].owner != RAIM_NOBODY)
            fail(simulation, name, "bullet %u flies", slot);
}

static void check_world_is_valid(struct simulation *simulation, const char *name)
{
    if (simulation->step % VALIDATION_STEPS == 0 &&
        !raim_world_is_valid(world_of(simulation), simulation->match_def.map))
        fail(simulation, name, "at tick %u", raim_match_tick(simulation->match));
}

static void check_ticks_count(struct simulation *simulation, const char *name)
{
    const uint32_t tick = raim_match_tick(simulation->match);
    if (simulation->has_before && tick != simulation->tick_before + 1)
        fail(simulation, name, "tick %u follows %u", tick, simulation->tick_before);
    simulation->tick_before = tick;
}

// --- what later checks need ---

static uint64_t roster_hash(const struct simulation *simulation)
{
    struct raim_match_player rows[MAX_SLOTS];
    uint64_t hash = 0;
    const uint32_t count = raim_match_players(simulation->match, rows, MAX_SLOTS);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row[3] = {rows[i].id, rows[i].score, rows[i].deaths};
        hash = hash * 31 + raim_digest(row, sizeof row) +
               raim_digest(rows[i].name, strlen(rows[i].name));
    }
    return hash;
}

static void remember(struct simulation *simulation)
{
    const struct raim_world *world = world_of(simulation);
    const uint32_t events = raim_match_events(simulation->match);
    memcpy(simulation->worlds[world->tick % KEPT_WORLDS], world, raim_world_bytes(world));
    simulation->has_world[world->tick % KEPT_WORLDS] = true;
    simulation->rosters[events % KEPT_ROSTERS].is_valid = true;
    simulation->rosters[events % KEPT_ROSTERS].events = events;
    simulation->rosters[events % KEPT_ROSTERS].hash = roster_hash(simulation);
    simulation->events_by_step[simulation->step % (4 * TICK_HZ)] = events;
    memcpy(simulation->players_before, raim_world_players_const(world),
           world->max_players * sizeof *simulation->players_before);
    simulation->round_before = raim_match_round(simulation->match);
    simulation->has_before = true;
}

void invariants_check_step(struct simulation *simulation)
{
    static const struct {
        const char *name;
        void (*check)(struct simulation *simulation, const char *name);
    } invariants[] = {
        {"players_are_distinct", check_players_are_distinct},
        {"players_are_free", check_players_are_free},
        {"players_part", check_players_part},
        {"bullets_are_in_range", check_bullets_are_in_range},
        {"counts_add_up", check_counts_add_up},
        {"points_equal_deaths", check_points_equal_deaths},
        {"frozen_stands_still", check_frozen_stands_still},
        {"world_is_valid", check_world_is_valid},
        {"ticks_count", check_ticks_count},
    };
    for (size_t i = 0; i < sizeof invariants / sizeof *invariants; i++)
        invariants[i].check(simulation, invariants[i].name);
    remember(simulation);
}
